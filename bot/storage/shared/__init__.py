"""What several rooms of the storage share: the tables, rows as domain types, the audience rule, what comes from what."""

"""What several rooms of the storage share: the tables, their rows as domain types, and the rules over them."""

"""The page in the browser, for each person about themselves, and for the owner about the program."""

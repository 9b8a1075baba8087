# symbols

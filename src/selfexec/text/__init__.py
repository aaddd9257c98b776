"""Text as people read it: numbers, tables, and what somebody else wrote."""

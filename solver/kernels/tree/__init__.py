"""Tree search: one kernel, whose members differ in what they select moves by."""

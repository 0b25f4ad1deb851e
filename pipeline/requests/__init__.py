"""What a command, a plan file or a schedule asks for: plain data that travels as JSON."""

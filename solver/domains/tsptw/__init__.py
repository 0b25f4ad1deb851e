"""The travelling salesman problem with time windows."""

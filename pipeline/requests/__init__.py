"""Requests of commands, plan files and schedules: plain data that travels as JSON."""

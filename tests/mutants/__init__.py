"""Mutation testing of the domain."""

"""Tests that courts and regulators have used, each with its figure and its limits; none of them is the verdict."""

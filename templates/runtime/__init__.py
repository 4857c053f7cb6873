"""What every protocol version shares: values, errors, JSON text and coercion.

Plain modules with no knowledge of any protocol version; they import the standard
library and each other only.
"""

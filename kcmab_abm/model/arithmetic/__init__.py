"""Mathematical functions that give the same bits on every processor.

The logarithm of a C library may differ in its last bit between processors, and so would every
number computed from it. The functions here use only additions, subtractions, multiplications,
divisions, square roots and scaling by powers of two, which IEEE 754 defines to the last bit. Both
engines run the same source.
"""

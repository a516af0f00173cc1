// Tests of features also inject faults, so this module exports LatticeFaults.
@_exported public import LatticeFaults

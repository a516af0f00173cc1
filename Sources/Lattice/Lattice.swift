// What apps import. The data flow itself stands in LatticeCore.
@_exported public import LatticeCore

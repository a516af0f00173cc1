// The module that apps import. The data flow is in LatticeCore.
@_exported public import LatticeCore

// Whoever tests a feature has things go wrong, too.
@_exported public import LatticeFaults

import LatticeControl
import LatticeCoordinator

/// The blocks of LookingInside.md and LatticeControl.md, except the one in `LookingInsideProgram.swift`.
struct LookingInsideSnippets {
    func onlyTools() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.describeRefusal = { $0.isTool ? nil : "Only tools may look into this coordinator." }
        return configuration
    }
}

import LatticeControl
import LatticeCoordinator

/// The blocks of LookingInside.md and LatticeControl.md, except the one in `LookingInsideProgram.swift`.
struct LookingInsideSnippets {
    func onlyTools() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.controlPermission = { process in
            process.isTool ? .look("Restart workers from the administration page.") : .nothing("Only tools may look.")
        }
        return configuration
    }
}

import Lattice
import LatticeCoordinator

/// The blocks of PlacementAndGroups.md, which are only compiled here: they start processes.
@MainActor struct PlacementAndGroupsSnippets {
    func grouped() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        var uploads = WorkerGroup("uploads", of: Upload.self)
        uploads.executable = "libexec/uploader"
        uploads.environment["UPLOAD_HOST"] = "example.org"
        var notes = WorkerGroup("notes", of: Notes.self)
        notes.workers = .onePerInstance(atMost: 16)
        configuration.groups = [uploads, notes]
        return configuration
    }

    func ordered() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        var uploads = WorkerGroup("uploads", of: Upload.self)
        uploads.intensity = RestartIntensity(restarts: 3, period: .seconds(60))
        var desk = WorkerGroup("desk", of: Notes.self)
        desk.strategy = .oneForAll
        desk.groups = [uploads]
        configuration.groups = [desk]
        return configuration
    }

    func idle() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.closeWhenIdle(Notes.self, after: .seconds(600))
        return configuration
    }

    func draft(in coordinator: Coordinator, from saved: Notes.DomainState) async throws {
        let draft = try await coordinator.viewModel(Notes.self, instance: "draft", initialDomainState: saved)
        await draft.sendViewEvent(.add("milk")).finish()
        coordinator.close(Notes.self, instance: "draft")
    }
}

/// Which worker serves which instance of which feature.
///
/// Those who host features ask here, and nobody else knows how features are spread over workers. A group of features
/// has one supervisor, which keeps one worker for all of their instances.
struct Placement: Sendable {
    /// The supervisors, each once.
    let supervisors: [WorkerSupervisor]
    /// The group of each feature, as an index of `supervisors`.
    private let groups: [String: Int]

    /// - Parameter groups: A feature that is in several groups belongs to the first of them.
    init(_ groups: [(features: [String], supervisor: WorkerSupervisor)]) {
        supervisors = groups.map(\.supervisor)
        self.groups = Dictionary(
            groups.enumerated().flatMap { index, group in group.features.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Who keeps the worker that serves this instance; nil: the feature has no place.
    func supervisor(of key: FeatureRegistry.Key) -> WorkerSupervisor? {
        groups[key.feature].map { supervisors[$0] }
    }

    /// Calls `body` with each supervisor, side by side, and returns when all calls have.
    func forEach(_ body: @escaping @Sendable (WorkerSupervisor) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for supervisor in supervisors { group.addTask { await body(supervisor) } }
        }
    }
}

import LatticeConcurrency

/// A configuration of which some settings change while the coordinator runs. You can use it on any thread.
final class LiveConfiguration: Sendable {
    private let state: Locked<CoordinatorConfiguration>

    init(_ configuration: CoordinatorConfiguration) {
        state = Locked(configuration)
    }

    /// The present settings.
    var value: CoordinatorConfiguration { state.withLock(\.self) }

    /// Takes the settings from another configuration that can change while the coordinator runs. The others stay.
    func update(from new: CoordinatorConfiguration) {
        state.withLock { configuration in
            let changing = Setting.all.filter { $0.effect != .nextStart }
            for setting in changing { setting.value.copy(from: new, to: &configuration) }
            for group in configuration.groupNames {
                let new = new.scope(ofGroup: group)
                configuration.change(ofGroup: group) { scope in
                    for setting in changing where setting.isOfGroups { setting.value.copy(from: new, to: &scope) }
                }
            }
        }
    }
}

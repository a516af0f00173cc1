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
            for setting in Setting.all where setting.effect != .nextStart {
                // What a configuration contains has the right form.
                _ = setting.value.set(setting.value.text(in: new), in: &configuration)
            }
            for group in configuration.groupNames {
                let new = new.scope(ofGroup: group)
                for setting in Setting.all where setting.isOfGroups && setting.effect != .nextStart {
                    _ = configuration.set(setting.value.text(in: new), setting.value, ofGroup: group)
                }
            }
        }
    }
}

import LatticeConcurrency

/// The settings of a coordinator while it runs: what the program has set, what was read from a file and the
/// environment, and where each value comes from. You can use it on any thread.
final class CoordinatorSettings: Sendable {
    /// A setting for people.
    struct Shown: Sendable, Equatable {
        let name: ReadSettings.Name
        let value: String
        /// The place in the file, the variable, "program", or "default".
        let source: String
    }

    /// The settings of the program, into which the others are read.
    private let base: CoordinatorConfiguration
    /// The settings that are in force.
    let live: LiveConfiguration
    /// The sources of the settings in force that were read.
    private let sources: Locked<[ReadSettings.Name: ReadSettings.Source]>
    /// One reload at a time, so that the last one that begins is in force.
    private let reloading = Locked(())

    init(
        base: CoordinatorConfiguration,
        _ configuration: CoordinatorConfiguration,
        sources: [ReadSettings.Name: ReadSettings.Source]
    ) {
        self.base = base
        live = LiveConfiguration(configuration)
        self.sources = Locked(sources)
    }

    /// Reads the settings again, and puts those in force that can change now.
    ///
    /// - Parameters:
    ///   - workers: Returns the settings of the workers, with the names of their groups.
    ///   - apply: Called with the settings that were in force before and those that were read. The next reload waits
    ///     until it has returned.
    /// - Returns: The changed settings, and those that keep their values.
    /// - Throws: `CoordinatorError` if the settings cannot be used. Nothing has changed then.
    func reload(
        _ workers: () -> [(group: String, settings: LiveConfiguration)],
        apply: (CoordinatorConfiguration, ReadSettings) -> Void = { _, _ in }
    ) throws(CoordinatorError) -> SettingsReload {
        try reloading.withLock { _ throws(CoordinatorError) in
            let read = try SettingsReader.read(into: base)
            let before = live.value
            let report = SettingsReload(from: before, to: read.configuration)
            live.update(from: read.configuration)
            // After that, new workers get the new settings.
            for (group, settings) in workers() { settings.update(from: read.configuration.scope(ofGroup: group)) }
            sources.withLock { sources in
                // A setting that keeps its value keeps its source, too.
                sources = sources.filter { Self.keepsValue($0.key) }
                    .merging(read.sources.filter { !Self.keepsValue($0.key) }) { old, _ in old }
            }
            apply(before, read)
            return report
        }
    }

    private static func keepsValue(_ name: ReadSettings.Name) -> Bool {
        if case .nextStart? = Setting.byKey[name.key]?.effect { true } else { false }
    }

    /// All settings in force, and those of groups that were read.
    var shown: [Shown] {
        let (configuration, sources) = (live.value, sources.withLock(\.self))
        let initial = CoordinatorConfiguration()
        let own = Setting.all.map { setting in
            let (name, value) = (ReadSettings.Name(key: setting.key), setting.value.text(in: configuration))
            let source = value == setting.value.text(in: initial) ? "default" : "program"
            return Shown(name: name, value: value, source: sources[name]?.description ?? source)
        }
        let ofGroups = sources.filter { $0.key.group != nil }.sorted { "\($0.key)" < "\($1.key)" }
        return own
            + ofGroups.compactMap { name, source in
                guard let setting = Setting.byKey[name.key], let group = name.group else { return nil }
                let value = setting.value.text(in: configuration.scope(ofGroup: group))
                return Shown(name: name, value: value, source: source.description)
            }
    }
}

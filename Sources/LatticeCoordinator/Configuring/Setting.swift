import Logging

/// A setting that an operator can change without a build.
struct Setting: Sendable {
    /// When a new value takes effect that is read while the coordinator runs.
    enum Effect: Sendable {
        /// At once.
        case now
        /// For processes of workers that start later.
        case nextWorker
        /// For instances that are opened later.
        case nextInstance
        /// Only when the coordinator starts again.
        case nextStart
    }

    /// The key in a file, which is the name of the property.
    let key: String
    let value: SettingValue
    let effect: Effect
    /// Whether a group of workers can have its own value.
    let isOfGroups: Bool

    private init(_ key: String, _ value: SettingValue, _ effect: Effect = .nextStart, ofGroups: Bool = false) {
        self.key = key
        self.value = value
        self.effect = effect
        isOfGroups = ofGroups
    }

    /// The name in the environment, without the prefix: `limits.memoryBytes` is `LIMITS_MEMORY_BYTES`.
    var variable: String {
        key.reduce(into: "") { name, character in
            if character == "." {
                name += "_"
            } else {
                if character.isUppercase { name += "_" }
                name += character.uppercased()
            }
        }
    }

    /// All settings, by the order in which they are shown.
    static let all: [Setting] = coordinator + restart + limits

    private static let coordinator: [Setting] = [
        Setting("logLevel", .level(\.logger.logLevel), .now),
        Setting("standby", .flag(\.standby), ofGroups: true),
        Setting("openTimeout", .time(\.openTimeout)),
        Setting("heartbeatInterval", .time(\.heartbeatInterval)),
        Setting("heartbeatTimeout", .time(\.heartbeatTimeout)),
        Setting("backtraceTimeout", .time(\.backtraceTimeout)),
        Setting("drainTimeout", .time(\.drainTimeout), .now, ofGroups: true),
        Setting("teardownTimeout", .time(\.teardownTimeout)),
        Setting("deadlineGrace", .time(\.deadlineGrace)),
        Setting("clientRetention", .time(\.clientRetention), .now),
        Setting("maximumActionBytes", .size(\.maximumActionBytes)),
        Setting("maximumStateBytes", .size(\.maximumStateBytes)),
        Setting("maximumInstances", .count(\.maximumInstances)),
        Setting("maximumInstancesPerClient", .count(\.maximumInstancesPerClient)),
        Setting("maximumEventsPerClient", .count(\.maximumEventsPerClient), .nextInstance),
        Setting("sharesCrashReports", .flag(\.sharesCrashReports)),
    ]

    private static let restart: [Setting] = [
        Setting("restart.kind", .kind(\.restart.kind), ofGroups: true),
        Setting("restart.initialDelay", .time(\.restart.initialDelay), ofGroups: true),
        Setting("restart.factor", .number(\.restart.factor), ofGroups: true),
        Setting("restart.maximumDelay", .time(\.restart.maximumDelay), ofGroups: true),
        Setting("restart.jitter", .number(\.restart.jitter), ofGroups: true),
        Setting("restart.intensity.restarts", .count(\.restart.intensity.restarts), ofGroups: true),
        Setting("restart.intensity.period", .time(\.restart.intensity.period), ofGroups: true),
        Setting("restart.stableTime", .time(\.restart.stableTime), ofGroups: true),
        Setting("restart.maximumFailedStarts", .count(\.restart.maximumFailedStarts), ofGroups: true),
        Setting("restart.bootTimeout", .time(\.restart.bootTimeout), .nextWorker, ofGroups: true),
        Setting("restart.probeDelay", .optionalTime(\.restart.probeDelay), ofGroups: true),
    ]

    private static let limits: [Setting] = [
        Setting("limits.memoryBytes", .optionalSize(\.limits.memoryBytes), .nextWorker, ofGroups: true),
        Setting("limits.totalMemoryBytes", .optionalSize(\.limits.totalMemoryBytes), .nextWorker, ofGroups: true),
        Setting("limits.openFiles", .optionalCount(\.limits.openFiles), .nextWorker, ofGroups: true),
        Setting("limits.tasks", .optionalCount(\.limits.tasks), .nextWorker, ofGroups: true),
        Setting("limits.cpuTime", .optionalTime(\.limits.cpuTime), .nextWorker, ofGroups: true),
        Setting("limits.turnTimeout", .optionalTime(\.limits.turnTimeout), .now, ofGroups: true),
        Setting("limits.callTimeout", .optionalTime(\.limits.callTimeout), .nextWorker, ofGroups: true),
    ]

    static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
}

/// A proposal for a word that is not known.
enum Spelling {
    /// Returns the known word that is nearest to a word, or nil if none is similar.
    static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        // Longer words are no typing errors, and comparing them takes long.
        guard word.utf8.count <= 100 else { return nil }
        let candidates = known.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        guard let best = candidates.min(by: { ($0.distance, $0.word) < ($1.distance, $1.word) }) else { return nil }
        return best.distance <= max(2, word.count / 3) ? best.word : nil
    }

    /// Returns the number of letters to insert, remove or replace.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (index, letter) in left.utf8.enumerated() {
            var (diagonal, previous) = (row[0], index + 1)
            row[0] = previous
            for column in right.indices {
                let cost = diagonal + (right[column] == letter ? 0 : 1)
                diagonal = row[column + 1]
                previous = min(cost, diagonal + 1, previous + 1)
                row[column + 1] = previous
            }
        }
        return row[right.count]
    }
}

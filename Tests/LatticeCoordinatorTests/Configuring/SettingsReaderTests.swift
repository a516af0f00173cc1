import LatticeCore
import LatticeTestSupport
import Logging
import Testing

@testable import LatticeCoordinator

/// Reading settings from a text and from variables.
@Suite struct SettingsReaderTests {
    private var base: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.settingsFile = "app.conf"
        configuration.settingsPrefix = "APP_"
        configuration.groups = [WorkerGroup("thumbnails", of: Counter.self)]
        configuration.groups[0].groups = [WorkerGroup("nested group", workers: 1)]
        return configuration
    }

    private func read(_ text: String, _ variables: [(String, String)] = []) throws -> ReadSettings {
        try SettingsReader.read(text, variables.map { (name: $0.0, value: $0.1) }, into: base)
    }

    private func mistakes(in text: String, _ variables: [(String, String)] = []) -> [String] {
        do {
            _ = try read(text, variables)
            return []
        } catch {
            return "\(error)".split(separator: "\n").dropFirst().map(String.init)
        }
    }

    @Test("Settings of all kinds are read, with comments, sections and both kinds of line ends")
    func kinds() throws {
        let text = """
            # comment
            ; comment
            logLevel = debug\r
              clientRetention=5 min
            openTimeout = 0.5 s
            drainTimeout = 0
            limits.memoryBytes = 512 MiB
            limits.openFiles=100
            limits.turnTimeout = none
            restart.kind = transient
            restart.factor = 1.5
            sharesCrashReports = true
            maximumInstances = 7

            [group thumbnails]
            limits.memoryBytes = 2 GiB
            standby = true
            [group nested group]
            drainTimeout = 250 ms
            """
        let read = try read(text)
        let configuration = read.configuration
        #expect(configuration.logger.logLevel == .debug)
        #expect(configuration.clientRetention == .seconds(300) && configuration.openTimeout == .milliseconds(500))
        #expect(configuration.drainTimeout == .zero && configuration.maximumInstances == 7)
        #expect(configuration.limits.memoryBytes == 512 << 20 && configuration.limits.openFiles == 100)
        #expect(configuration.limits.turnTimeout == nil && configuration.sharesCrashReports)
        #expect(configuration.restart.kind == .transient && configuration.restart.factor == 1.5)
        let group = configuration.scope(ofGroup: "thumbnails")
        #expect(group.limits.memoryBytes == 2 << 30 && group.limits.openFiles == 100 && group.standby)
        // What the file does not set for the group stays that of the coordinator.
        #expect(configuration.groups[0].restart == nil)
        #expect(configuration.groups[0].groups[0].shutdownTimeout == .milliseconds(250))
        #expect(read.sources[.init(key: "limits.openFiles")] == .file("app.conf", line: 8))
        #expect(read.sources[.init(group: "thumbnails", key: "standby")] == .file("app.conf", line: 17))
    }

    @Test("A variable has precedence over the file, and the file over the program")
    func precedence() throws {
        let read = try read(
            "limits.memoryBytes = 1 GiB\nclientRetention = 1 s",
            [("APP_LIMITS_MEMORY_BYTES", "2 GiB"), ("APP_RESTART_INTENSITY_PERIOD", "1 min")]
        )
        #expect(read.configuration.limits.memoryBytes == 2 << 30)
        #expect(read.configuration.clientRetention == .seconds(1))
        #expect(read.configuration.restart.intensity.period == .seconds(60))
        #expect(read.sources[.init(key: "limits.memoryBytes")] == .variable("APP_LIMITS_MEMORY_BYTES"))
    }

    @Test("Every setting can be written as it is shown, and has a variable of its own")
    func roundTrip() throws {
        let lines = Setting.all.map { "\($0.key) = \($0.value.text(in: base))" }
        let configuration = try read(lines.joined(separator: "\n")).configuration
        for setting in Setting.all { #expect(setting.value.text(in: configuration) == setting.value.text(in: base)) }
        #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
        #expect(Setting.byKey["limits.memoryBytes"]?.variable == "LIMITS_MEMORY_BYTES")
    }

    @Test(
        "A mistake is reported with its file, line and key, and with the nearest known word",
        arguments: [
            ("limit.memoryBytes = 1", ["app.conf:1: limit.memoryBytes:", "Did you mean limits.memoryBytes?"]),
            ("\n\nclientretention = 1 s", ["app.conf:3: clientretention:", "Did you mean clientRetention?"]),
            ("xyz = 1", ["app.conf:1: xyz: There is no such setting."]),
            ("clientRetention = 5", ["app.conf:1: clientRetention: \"5\" is not a time such as"]),
            ("clientRetention = 5 parsecs", ["app.conf:1: clientRetention:", "5 parsecs"]),
            ("clientRetention = 99999999999999999999 h", ["app.conf:1: clientRetention:"]),
            ("clientRetention =", ["app.conf:1: clientRetention: \"\" is not"]),
            ("limits.memoryBytes = 9999999999 GiB", ["app.conf:1: limits.memoryBytes:"]),
            ("limits.memoryBytes = 1", ["app.conf:1: limits.memoryBytes is 1; give it 1048576 or more"]),
            ("maximumInstances = 0", ["app.conf:1: maximumInstances is 0. Choose a value from 1 to 4096."]),
            ("restart.kind = sometimes", ["app.conf:1: restart.kind:", "permanent, transient, temporary"]),
            ("restart.factor = nan", ["app.conf:1: restart.factor:"]),
            ("sharesCrashReports = yes", ["app.conf:1: sharesCrashReports:", "true or false"]),
            ("logLevel = loud", ["app.conf:1: logLevel:", "trace"]),
            // The second one is the one that was read.
            ("heartbeatInterval = 1 h", ["app.conf:1: heartbeatTimeout is 10.0 seconds, and heartbeatInterval"]),
            ("= 5", ["app.conf:1: \"= 5\" is no setting."]), ("hello", ["app.conf:1: \"hello\" is no setting."]),
            ("[workers]", ["app.conf:1: \"[workers]\" is no section."]),
            ("[group a", ["app.conf:1: \"[group a\" is no section."]),
            ("[group thumbnail]\nstandby = true", ["app.conf:2: standby:", "Did you mean thumbnails?"]),
            ("[group thumbnails]\nlogLevel = info", ["app.conf:2: logLevel: A group cannot have its own value."]),
            ("[group thumbnails]\nlimits.tasks = 1", ["app.conf:2: limits.tasks is 1"]),
            ("standby = true\nstandby = true", ["app.conf:2: standby was set before at app.conf:1."]),
        ]
    )
    func mistake(_ text: String, _ parts: [String]) {
        let mistakes = mistakes(in: text)
        #expect(mistakes.count == 1)
        for part in parts { #expect(mistakes.first?.contains(part) == true, "\(mistakes)") }
    }

    @Test("A variable with the prefix that sets nothing, or a wrong value, is reported with its name")
    func variables() {
        let found = mistakes(in: "", [("APP_LIMIT_MEMORY_BYTES", "1"), ("APP_STANDBY", "maybe")])
        #expect(found.count == 2)
        #expect(
            found[0].hasPrefix("environment APP_LIMIT_MEMORY_BYTES:") && found[0].contains("APP_LIMITS_MEMORY_BYTES?")
        )
        #expect(found[1].hasPrefix("environment APP_STANDBY: standby: \"maybe\""))
    }

    @Test("All mistakes are reported together, and at most 20 of them")
    func many() {
        let text = (1...30).map { "unknown\($0) = 1" }.joined(separator: "\n")
        let found = mistakes(in: text)
        #expect(found.count == SettingsReader.maximumMistakes + 1 && found.last == "… and 10 more.")
    }

    @Test("A file that cannot be read is an error that names it", arguments: ["/nonexistent/app.conf", "/"])
    func unreadable(_ path: String) {
        var configuration = CoordinatorConfiguration()
        configuration.settingsFile = path
        let error = #expect(throws: CoordinatorError.self) { _ = try SettingsReader.read(into: configuration) }
        #expect(error?.code == .invalid && error?.message.contains("\(path): The file cannot be read.") == true)
    }

    @Test("Random bytes and lines are read or refused, and never crash", arguments: 1...20)
    func random(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = ["=", "[group ", "]", "\n", "limits.", "memoryBytes", " ", "9", "GiB", "#", "none", "-", ".", "ä"]
        for _ in 0..<200 {
            let text = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            _ = mistakes(in: text.joined())
        }
    }
}

import Foundation
import LatticeCore
import LatticeTestSupport
import Logging
import Testing

@testable import LatticeCoordinator

/// Reading the settings of a coordinator again while it runs.
@Suite struct SettingsReloadTests {
    private func withFile(_ text: String, _ body: (CoordinatorConfiguration, (String) throws -> Void) throws -> Void)
        throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lattice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("app.conf").path
        func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        try write(text)
        var configuration = CoordinatorConfiguration()
        configuration.settingsFile = path
        configuration.groups = [WorkerGroup("thumbnails", of: Counter.self)]
        try body(configuration, write)
    }

    private func settings(_ base: CoordinatorConfiguration) throws -> CoordinatorSettings {
        let read = try SettingsReader.read(into: base)
        return CoordinatorSettings(base: base, read.configuration, sources: read.sources)
    }

    @Test("What can change while the coordinator runs changes, also in groups, and the rest keeps its value")
    func reload() throws {
        try withFile("clientRetention = 1 s\nopenTimeout = 9 s") { base, write in
            let settings = try settings(base)
            let worker = LiveConfiguration(settings.live.value.scope(ofGroup: "thumbnails"))
            try write("openTimeout = 8 s\nlimits.openFiles = 64\n[group thumbnails]\nlimits.openFiles = 32")
            let report = try settings.reload { [("thumbnails", worker)] }
            #expect(
                report.changed == [
                    "clientRetention: 1 s → 1 min", "limits.openFiles: none → 64",
                    "limits.openFiles of group \"thumbnails\": none → 32",
                ]
            )
            #expect(report.kept == ["openTimeout: 9 s → 8 s"])
            #expect(settings.live.value.clientRetention == .seconds(60))
            #expect(settings.live.value.openTimeout == .seconds(9))
            #expect(worker.value.limits.openFiles == 32)
            // A worker of the group that is made later gets the same.
            #expect(settings.live.value.scope(ofGroup: "thumbnails").limits.openFiles == 32)
            // Kept values are reported again, and changed ones are not.
            let again = try settings.reload { [] }
            #expect(again.changed.isEmpty && again.kept == report.kept)
        }
    }

    @Test("A file with one mistake changes nothing")
    func mistake() throws {
        try withFile("clientRetention = 1 s") { base, write in
            let settings = try settings(base)
            let shown = settings.shown
            try write("clientRetention = 2 s\nopenTimout = 1 s")
            let error = #expect(throws: CoordinatorError.self) { _ = try settings.reload { [] } }
            #expect(error?.message.contains("app.conf:2: openTimout") == true)
            #expect(settings.live.value.clientRetention == .seconds(1) && settings.shown == shown)
        }
    }

    @Test("Each setting is shown with its value and where it comes from")
    func sources() throws {
        try withFile("clientRetention = 1 s\n[group thumbnails]\nstandby = true") { base, write in
            var base = base
            base.drainTimeout = .seconds(7)
            let settings = try settings(base)
            let path = try #require(base.settingsFile)
            func source(_ key: String, _ group: String? = nil) -> String? {
                settings.shown.first { $0.name == .init(group: group, key: key) }.map { "\($0.value) \($0.source)" }
            }
            #expect(source("clientRetention") == "1 s \(path):1")
            #expect(source("drainTimeout") == "7 s program")
            #expect(source("openTimeout") == "30 s default")
            #expect(source("standby", "thumbnails") == "true \(path):3")
            try write("\nclientRetention = 2 s")
            _ = try settings.reload { [] }
            #expect(source("clientRetention") == "2 s \(path):2")
            // The group's standby keeps its value until the next start.
            #expect(source("standby", "thumbnails") == "true \(path):3")
        }
    }

    @Test("The log level that was read again is that of all loggers of the coordinator")
    func logLevel() {
        let queue = LogQueue()
        var logger = Logger(label: "test") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .info
        let queued = queue.logger(logger)
        #expect(queued.logLevel == .info)
        queue.minimumLevel = .trace
        #expect(queued.logLevel == .trace)
    }
}

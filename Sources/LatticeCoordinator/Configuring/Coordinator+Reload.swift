import LatticeConcurrency
import LatticeCore
import Logging

extension CoordinatorError {
    /// The message in one line, for the log.
    fileprivate var oneLine: String { message.split(separator: "\n").joined(separator: " ") }
}

extension Coordinator {
    /// A Boolean value that indicates whether there is a file of settings to read again.
    var readsSettings: Bool { settings.live.value.settingsFile != nil }

    /// Reads the settings again on another thread, for a signal. The log has the result.
    func reloadSoon() {
        Task(executorPreference: ThreadPool.shared) { _ = try? self.reload() }
    }

    /// Reads ``CoordinatorConfiguration/settingsFile`` and the environment again, and applies what can change while the
    /// coordinator runs.
    ///
    /// The log level, `clientRetention`, `drainTimeout` and `limits.turnTimeout` change at once. A worker that runs
    /// keeps leaving out the lines below the level that it started with. The other limits of workers apply to processes
    /// that start later, so a standby is replaced, and `maximumEventsPerClient` to instances that are opened later.
    /// Everything else keeps its value until the coordinator starts again. The log says what has changed and what has
    /// not. SIGHUP calls this function if there is a file and `withCoordinator` has the signal `hangUp`.
    ///
    /// You can call it on any thread. It reads a file, so it blocks shortly.
    ///
    /// - Returns: The changed settings, and those that keep their values.
    /// - Throws: `CoordinatorError` with the code `invalid` if the file or a variable has a mistake. Then nothing has
    ///   changed, and the log says why.
    @discardableResult
    public func reload() throws(CoordinatorError) -> SettingsReload {
        let events = settings.live.value.events
        do {
            let report = try settings.reload { [placement] in
                placement.supervisors.map { (group: $0.member.group, settings: $0.settings) }
            } apply: { before, read in
                log.minimumLevel = read.logLevel
                if read.configuration.clientRetention != before.clientRetention {
                    clientRegistry.retentionChanged(on: reactor)
                }
            }
            for supervisor in placement.supervisors { supervisor.renewStandby() }
            events.emit(.settingsReloaded, .settingsReloaded(report.description))
            return report
        } catch {
            events.emit(.settingsRefused, .settingsRefused(reason: error.oneLine))
            throw error
        }
    }
}

#if canImport(OSLog)
public import OSLog

extension ActionLogEntry {
    /// Returns a sink for `Interactor.logActions(_:clock:to:)` that writes to the unified log. The messages are
    /// private, because actions can contain what a user has typed.
    public static func unifiedLog(
        _ logger: Logger,
        level: OSLogType = .debug
    ) -> @Sendable (ActionLogEntry<Action>) -> Void {
        { entry in logger.log(level: level, "\(entry.description, privacy: .private)") }
    }
}
#endif

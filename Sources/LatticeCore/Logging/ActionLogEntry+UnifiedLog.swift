#if canImport(OSLog)
public import OSLog

extension ActionLogEntry {
    /// A sink for ``Interactor/logActions(_:clock:to:)`` that writes to the unified log. What it writes is private,
    /// since actions carry what a user has typed.
    public static func unifiedLog(
        _ logger: Logger,
        level: OSLogType = .debug
    ) -> @Sendable (ActionLogEntry<Action>) -> Void {
        { entry in logger.log(level: level, "\(entry.description, privacy: .private)") }
    }
}
#endif

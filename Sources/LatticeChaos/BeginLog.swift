import Glibc

/// The file in which a process logs in order which calls or jobs have begun. It is still there when the process has
/// been killed.
final class BeginLog<Entry: LosslessStringConvertible>: Sendable {
    private static var prefix: String { "begun-" }

    private let file: Int32

    /// Creates a log.
    ///
    /// - Parameter folder: The folder of the round.
    init(in folder: String) throws {
        let name = "\(folder)/\(Self.prefix)\(getpid())-\(String(UInt64.random(in: 0...(.max)), radix: 16))"
        file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw ChaosError("nothing can be logged in \"\(name)\": \(String(cString: strerror(errno)))")
        }
        // The log is read by its name later, so the permissions must not depend on the process's mask.
        fchmod(file, 0o600)
    }

    deinit {
        close(file)
    }

    /// Logs that a call or a job begins. If this fails, the process ends, because an unlogged one would count as not
    /// begun.
    func note(_ entry: Entry) {
        let line = "\(entry)\n"
        let written = line.withCString { write(file, $0, line.utf8.count) }
        guard written == line.utf8.count else { abort() }
    }

    /// Returns the logs of all processes in a folder, and removes the files.
    ///
    /// - Throws: ``ChaosError`` for an invalid line.
    static func takeAll(in folder: String) throws -> [[Entry]] {
        try FileText.names(in: folder).filter { $0.hasPrefix(prefix) }.sorted().map { name in
            let path = "\(folder)/\(name)"
            defer { unlink(path) }
            return try entries(in: FileText.text(of: path), name)
        }
    }

    static func entries(in text: String, _ name: String) throws -> [Entry] {
        try text.split(separator: "\n", omittingEmptySubsequences: true).map { line in
            guard let entry = Entry(String(line)) else {
                throw ChaosError("the log \"\(name)\" has the line \"\(line)\", which names nothing of this round")
            }
            return entry
        }
    }
}

/// The log of an actor.
typealias CallLog = BeginLog<ChaosCall.Identifier>

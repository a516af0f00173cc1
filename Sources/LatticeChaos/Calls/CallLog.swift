import Glibc

/// Where an actor writes down which calls have begun, in their order: a file, which is there when its process has been
/// killed.
final class CallLog: Sendable {
    private static let prefix = "calls-"

    private let file: Int32

    /// - Parameter folder: That of the round.
    init(in folder: String) throws {
        let name = "\(folder)/\(Self.prefix)\(getpid())-\(String(UInt64.random(in: 0...(.max)), radix: 16))"
        file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw ChaosError("calls cannot be written down in \"\(name)\": \(String(cString: strerror(errno)))")
        }
        // Whatever the process's mask takes away: it is read by its name.
        fchmod(file, 0o600)
    }

    deinit {
        close(file)
    }

    /// A call begins. A process that cannot write that down ends: what it did would be taken for not done.
    func note(_ call: ChaosCall.Identifier) {
        let line = "\(call)\n"
        let written = line.withCString { write(file, $0, line.utf8.count) }
        guard written == line.utf8.count else { abort() }
    }

    /// What was written down in a folder, by its actors; the files are gone then.
    ///
    /// - Throws: ``ChaosError`` for a line that is none.
    static func takeAll(in folder: String) throws -> [[ChaosCall.Identifier]] {
        try FileText.names(in: folder).filter { $0.hasPrefix(prefix) }.sorted().map { name in
            let path = "\(folder)/\(name)"
            defer { unlink(path) }
            return try calls(in: FileText.text(of: path), name)
        }
    }

    static func calls(in text: String, _ name: String) throws -> [ChaosCall.Identifier] {
        try text.split(separator: "\n", omittingEmptySubsequences: true).map { line in
            guard let call = ChaosCall.Identifier(String(line)) else {
                throw ChaosError("the log \"\(name)\" has the line \"\(line)\", which names no call")
            }
            return call
        }
    }
}

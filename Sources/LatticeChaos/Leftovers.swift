import Glibc

/// What a round has left on this host, and in this process.
@MainActor final class Leftovers {
    /// Marks the processes of this run, and what they start.
    nonisolated static let variable = "LATTICECTL_CHAOS"
    nonisolated static let mark = String(UInt64.random(in: 0...(.max)), radix: 16)

    /// How long what ends may take to be gone.
    static let limit: Duration = .seconds(1)

    private let folder: String
    /// What this process had open before.
    private let descriptors: [String]
    /// What has tasks, threads and connections of its own, and is gone when these have ended.
    private var owners: [(owner: () -> AnyObject?, name: String)] = []

    /// Looks at what there is before.
    /// - Parameter folder: Where sockets are made; empty by now.
    init(folder: String) {
        self.folder = folder
        descriptors = Self.openDescriptors
    }

    /// Something that nobody has any more at the end.
    func watch(_ owner: AnyObject, as name: String) {
        owners.append(({ [weak owner] in owner }, name))
    }

    /// What is there after a while that was not there before, each in a sentence.
    func violations(within limit: Duration = limit) async -> [String] {
        let deadline = SuspendingClock.now + limit
        while true {
            let violations = violationsNow()
            guard !violations.isEmpty, SuspendingClock.now < deadline else { return violations }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    private func violationsNow() -> [String] {
        let processes = Self.processes(with: "\(Self.variable)=\(Self.mark)").map { process in
            "process \(process) is left, \(Self.state(of: process)): \(Self.name(of: process))"
        }
        let files = names(in: folder).filter { $0 != "." && $0 != ".." }.map { "the file \"\($0)\" is left" }
        let owners = owners.filter { $0.owner() != nil }.map { "\($0.name) is left, with what it runs" }
        return processes + files + owners + descriptorsLeft()
    }

    private func descriptorsLeft() -> [String] {
        let open = Self.openDescriptors
        guard open.count > descriptors.count else { return [] }
        let before = Dictionary(descriptors.map { ($0, 1) }, uniquingKeysWith: +)
        let now = Dictionary(open.map { ($0, 1) }, uniquingKeysWith: +)
        let new = now.filter { $0.value > before[$0.key] ?? 0 }.keys.sorted().joined(separator: ", ")
        return ["\(open.count - descriptors.count) descriptors are left open, among \(new)"]
    }

    /// What each is of.
    private static var openDescriptors: [String] {
        names(in: "/proc/self/fd").compactMap { number in
            var file = [CChar](repeating: 0, count: 256)
            // The one that lists them is gone by now.
            let count = readlink("/proc/self/fd/\(number)", &file, file.count)
            return count > 0 ? String(decoding: file[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
        }
    }

    private static func processes(with variable: String) -> [Int32] {
        names(in: "/proc").compactMap { Int32($0) }.filter { process in
            process != getpid() && text(of: "/proc/\(process)/environ").split(separator: "\0").contains(variable[...])
        }
    }

    private static func name(of process: Int32) -> String {
        text(of: "/proc/\(process)/cmdline").replacing("\0", with: " ")
    }

    /// As proc(5) puts it: "S (sleeping)", "T (stopped)", …
    private static func state(of process: Int32) -> String {
        let line = text(of: "/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("State:") }
        return line.map { String($0.dropFirst("State:".count).drop { $0.isWhitespace }) } ?? "ended"
    }
}

/// Of a folder; none if there is no such folder.
private func names(in folder: String) -> [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
        names.append(
            withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
        )
    }
    return names
}

/// Of a file; empty if it cannot be read.
private func text(of file: String) -> String {
    guard let stream = fopen(file, "r") else { return "" }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}

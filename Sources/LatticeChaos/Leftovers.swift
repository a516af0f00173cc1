import Glibc

/// What a round has left on this host, and in this process.
@MainActor final class Leftovers {
    /// Marks the processes of a round, and what they start.
    nonisolated static let variable = "LATTICECTL_CHAOS"
    /// How long what ends may take to be gone, where nothing else is said.
    static let limit: Duration = .seconds(1)
    /// For connections that came later, and where no worker was there when descriptors were counted. What each worker
    /// leaves is soon more.
    private static let spareDescriptors = 10

    /// What the variable says in this round.
    let mark = String(UInt64.random(in: 0...(.max)), radix: 16)
    private let folder: String
    private let limit: Duration
    /// What this process had open before.
    private let descriptors: [String]
    /// What has tasks, threads and connections of its own, and is gone when these have ended.
    private var owners: [(owner: () -> AnyObject?, name: String)] = []

    /// Looks at what there is before.
    /// - Parameters:
    ///   - folder: Where sockets are made; empty by now.
    ///   - limit: How long what ends may take to be gone.
    init(folder: String, limit: Duration = Leftovers.limit) {
        self.folder = folder
        self.limit = limit
        descriptors = Self.openDescriptors
    }

    /// Something that nobody has any more at the end.
    func watch(_ owner: AnyObject, as name: String) {
        owners.append(({ [weak owner] in owner }, name))
    }

    /// What is there after a while that was not there before, each in a sentence.
    func violations(within limit: Duration? = nil) async -> [String] {
        await remaining(within: limit ?? self.limit) {
            strays(besides: [], standbys: 0) + filesLeft() + ownersLeft() + descriptorsLeft(beyond: 0)
        }
    }

    /// Runs a round, and adds what it has left to what it has broken; nothing is left afterwards.
    ///
    /// - Parameter name: The round, for people.
    func checking(_ name: String, _ round: () async throws -> ChaosResult) async -> ChaosResult {
        var result: ChaosResult
        do {
            result = try await round()
        } catch {
            result = ChaosResult(violations: ["\(name) did not come to its end: \(error)"])
        }
        result.violations += await violations()
        clear()
        return result
    }

    /// What dead workers have left while the coordinator goes on, each in a sentence.
    ///
    /// - Parameters:
    ///   - open: How many descriptors this process had before things went wrong.
    ///   - standbys: How many workers may stand by besides.
    ///   - processes: Those that are to run, with what they have started.
    func violations(openBefore open: Int, standbys: Int, besides processes: () -> Set<Int32>) async -> [String] {
        await remaining(within: limit) {
            strays(besides: processes(), standbys: standbys)
                + descriptorsLeft(beyond: open - descriptors.count + Self.spareDescriptors)
        }
    }

    /// Ends and removes what is left, so that the next round does not find it.
    func clear() {
        for process in Process.all() where process.isMarked(Self.variable, mark) { kill(process.number, SIGKILL) }
        for name in FileText.names(in: folder) { unlink("\(folder)/\(name)") }
    }

    private func remaining(within limit: Duration, _ look: () -> [String]) async -> [String] {
        let deadline = SuspendingClock.now + limit
        while true {
            let violations = look()
            guard !violations.isEmpty, SuspendingClock.now < deadline else { return violations }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Processes of the round, also such as have ended and were not waited for.
    private func strays(besides expected: Set<Int32>, standbys: Int) -> [String] {
        let all = Process.all()
        var expected = expected
        // Nothing else tells them from others that were started here.
        let own = all.filter { $0.parent == getpid() && $0.isAlive && !expected.contains($0.number) }
        expected.formUnion(own.prefix(standbys).map(\.number))
        // What those have started that are to run, level by level.
        while case let more = all.filter({ expected.contains($0.parent) && !expected.contains($0.number) }),
            !more.isEmpty
        {
            expected.formUnion(more.map(\.number))
        }
        return all.filter { process in
            !expected.contains(process.number) && (process.parent == getpid() || process.isMarked(Self.variable, mark))
        }.map { "process \($0.number) is left, \($0.state): \($0.command)" }
    }

    private func filesLeft() -> [String] {
        FileText.names(in: folder).map { "the file \"\($0)\" is left" }
    }

    private func ownersLeft() -> [String] {
        owners.filter { $0.owner() != nil }.map { "\($0.name) is left, with what it runs" }
    }

    private func descriptorsLeft(beyond count: Int) -> [String] {
        let open = Self.openDescriptors
        guard open.count > descriptors.count + count else { return [] }
        let before = Dictionary(descriptors.map { ($0, 1) }, uniquingKeysWith: +)
        let now = Dictionary(open.map { ($0, 1) }, uniquingKeysWith: +)
        let new = now.filter { $0.value > before[$0.key] ?? 0 }.keys.sorted().joined(separator: ", ")
        return ["\(open.count - descriptors.count - count) descriptors are left open, among \(new)"]
    }

    /// What each is of.
    static var openDescriptors: [String] {
        FileText.names(in: "/proc/self/fd").compactMap { number in
            var file = [CChar](repeating: 0, count: 256)
            // The one that lists them is gone by now.
            let count = readlink("/proc/self/fd/\(number)", &file, file.count)
            return count > 0 ? String(decoding: file[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
        }
    }
}

/// A process of this host, as proc(5) tells of it.
private struct Process {
    let number: Int32
    let parent: Int32
    /// "S (sleeping)", "T (stopped)", "Z (zombie)", …
    let state: String

    var isAlive: Bool { !state.hasPrefix("Z") }

    static func all() -> [Process] {
        FileText.names(in: "/proc").compactMap { Int32($0) }.compactMap(Process.init)
    }

    private init?(_ number: Int32) {
        var (parent, state): (Int32?, String?)
        for line in FileText.text(of: "/proc/\(number)/status").split(separator: "\n") {
            let value = line.drop { $0 != "\t" }.dropFirst()
            if line.hasPrefix("PPid:") { parent = Int32(value) }
            if line.hasPrefix("State:") { state = String(value) }
        }
        guard let parent, let state else { return nil }
        (self.number, self.parent, self.state) = (number, parent, state)
    }

    func isMarked(_ variable: String, _ mark: String) -> Bool {
        FileText.text(of: "/proc/\(number)/environ").split(separator: "\0").contains("\(variable)=\(mark)")
    }

    var command: String { FileText.text(of: "/proc/\(number)/cmdline").replacing("\0", with: " ") }
}

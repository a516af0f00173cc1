import Glibc

/// Detects what a round has left on this host and in this process.
@MainActor final class Leftovers {
    /// The environment variable that marks the processes of a round and their children.
    nonisolated static let variable = "LATTICECTL_CHAOS"
    /// The default time until everything that ends has to be gone.
    static let defaultTimeout: Duration = .seconds(1)
    /// A reserve for connections that begin later, and for the case that no worker existed when descriptors were
    /// counted. If each worker left one, the total would soon be higher.
    private static let spareDescriptors = 10

    /// The value of the variable in this round.
    let mark = String(UInt64.random(in: 0...(.max)), radix: 16)
    private let folder: String
    private let timeout: Duration
    /// The files and sockets that this process had open before the round.
    private let descriptors: [String]
    /// Objects with their own tasks, threads and connections. They are deallocated when these have ended.
    private var owners: [(owner: () -> AnyObject?, name: String)] = []

    /// Records what exists before the round.
    /// - Parameters:
    ///   - folder: The folder for sockets. It is empty at this time.
    ///   - timeout: The maximum time until everything that ends has to be gone.
    init(folder: String, timeout: Duration = Leftovers.defaultTimeout) {
        self.folder = folder
        self.timeout = timeout
        descriptors = Self.openDescriptors
    }

    /// Watches an object that has to be deallocated at the end.
    func watch(_ owner: AnyObject, as name: String) {
        owners.append(({ [weak owner] in owner }, name))
    }

    /// Returns what exists after a while and did not exist before, each in a sentence.
    func violations(within timeout: Duration? = nil) async -> [String] {
        await remaining(within: timeout ?? self.timeout) {
            strays(besides: [], standbys: 0) + filesLeft() + ownersLeft() + descriptorsLeft(beyond: 0)
        }
    }

    /// Runs a round, and adds what it has left to its violations. Then everything that is left is removed.
    ///
    /// - Parameters:
    ///   - name: A description of the round.
    ///   - round: Runs the round.
    func checking(_ name: String, _ round: () async throws -> ChaosResult) async -> ChaosResult {
        var result: ChaosResult
        do {
            result = try await round()
        } catch {
            result = ChaosResult(violations: ["\(name) did not complete: \(error)"])
        }
        result.violations += await violations()
        clear()
        return result
    }

    /// Returns what dead workers have left while the coordinator is still running, each in a sentence.
    ///
    /// - Parameters:
    ///   - open: The number of descriptors of this process before the faults.
    ///   - standbys: The number of additional standby workers.
    ///   - processes: The processes that should be running. Their children are included.
    func violations(openBefore open: Int, standbys: Int, besides processes: () -> Set<Int32>) async -> [String] {
        await remaining(within: timeout) {
            strays(besides: processes(), standbys: standbys)
                + descriptorsLeft(beyond: open - descriptors.count + Self.spareDescriptors)
        }
    }

    /// Ends and removes everything that is left, so that the next round does not find it.
    func clear() {
        for process in Process.all() where process.isMarked(Self.variable, mark) { kill(process.number, SIGKILL) }
        for name in FileText.names(in: folder) { unlink("\(folder)/\(name)") }
    }

    private func remaining(within timeout: Duration, _ look: () -> [String]) async -> [String] {
        let deadline = SuspendingClock.now + timeout
        while true {
            let violations = look()
            guard !violations.isEmpty, SuspendingClock.now < deadline else { return violations }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Returns the processes of the round, including those that have ended and were not awaited.
    private func strays(besides expected: Set<Int32>, standbys: Int) -> [String] {
        let all = Process.all()
        var expected = expected
        // Standby workers cannot be distinguished from other children of this process.
        let own = all.filter { $0.parent == getpid() && $0.isAlive && !expected.contains($0.number) }
        expected.formUnion(own.prefix(standbys).map(\.number))
        // The children of the expected processes are expected as well, level by level.
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
        owners.filter { $0.owner() != nil }.map { "\($0.name) is left, together with its tasks and threads" }
    }

    private func descriptorsLeft(beyond count: Int) -> [String] {
        let open = Self.openDescriptors
        guard open.count > descriptors.count + count else { return [] }
        let before = Dictionary(descriptors.map { ($0, 1) }, uniquingKeysWith: +)
        let now = Dictionary(open.map { ($0, 1) }, uniquingKeysWith: +)
        let new = now.filter { $0.value > before[$0.key] ?? 0 }.keys.sorted().joined(separator: ", ")
        let left = open.count - descriptors.count - count
        return ["\(left == 1 ? "1 descriptor is" : "\(left) descriptors are") left open, among \(new)"]
    }

    /// Opens the descriptors of the clocks, so that they are not counted as left.
    ///
    /// Dispatch opens a descriptor for each clock when it first waits for a timer of that clock, and keeps it. It opens
    /// none for a timer that is already due when it looks, as on a busy machine. The sleeps therefore become longer.
    static func openClocks() async {
        var duration = Duration.milliseconds(1)
        while duration < .seconds(2), openDescriptors.count(where: { $0.contains("[timerfd]") }) < 2 {
            try? await ContinuousClock().sleep(for: duration)
            try? await SuspendingClock().sleep(for: duration)
            duration *= 2
        }
    }

    /// The targets of all open descriptors of this process.
    static var openDescriptors: [String] {
        FileText.names(in: "/proc/self/fd").compactMap { number in
            var file = [CChar](repeating: 0, count: 256)
            // The descriptor that was used to list them is closed by now.
            let count = readlink("/proc/self/fd/\(number)", &file, file.count)
            return count > 0 ? String(decoding: file[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
        }
    }
}

/// A process of this host, as described in proc(5).
private struct Process {
    let number: Int32
    let parent: Int32
    /// The state, such as "S (sleeping)", "T (stopped)" or "Z (zombie)".
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

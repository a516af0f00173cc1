import CProcessEnd
package import LatticeCore
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Does what no feature should, to the process that it runs in. Run it in a worker.
package enum UnrulyFeature: HostedFeature {
    package enum Action: Codable, Sendable {
        case add(Int)
        /// An effect that lasts until it is cancelled.
        case wait
        /// An effect that ends the process with this code, as if all were well.
        case exit(Int32)
        /// A turn that computes for ever, the first time that there is no file at the path.
        case spin(marker: String)
        /// A turn that waits for ever, likewise.
        case block(marker: String)
        /// A turn that ends the process with a signal, unless there is a file at the path.
        case crash(unless: String)
        /// A turn that computes for ever, each time.
        case hang
        /// A turn that takes so long.
        case rest(milliseconds: Int)
        /// A turn that lasts until there is a file at the path.
        case restUntil(file: String)
        /// An effect that ends the process with a signal when it is cancelled.
        case crashWhenCancelled
        /// A turn in which a copy of the process (fork) is made, which ends in order.
        case endCopy
        /// So many effects that compute until `stopComputing`, or each with two tasks of its own that do so too.
        case compute(Int, withTasks: Bool)
        /// An effect that computes as long, but has only so many milliseconds; then 100 are added.
        case computeBriefly(milliseconds: Int)
        /// An effect that adds this.
        case addLater(Int)
        case stopComputing
        /// So many effects that block one of the threads for that each, and one that starts so many tasks each of which
        /// computes on one of Swift's, until `stopComputing`. For threads that block libdispatch adds others.
        case occupy(blocking: Int, swift: Int)
        /// An effect that opens files until there is no descriptor left, and throws then; it closes them again.
        case openFiles
        /// An effect that starts threads until there is no more, and throws then; they end again.
        case startThreads
        /// An effect, or a turn, that takes so much memory, writes to all of it, and keeps it for ever.
        case hoard(megabytes: Int, inTurn: Bool)
        /// An effect that prints a line, and then ends the process with a signal, or lasts until it is cancelled.
        case print(String, thenCrash: Bool)
        /// From now on the process ignores SIGTERM and SIGXCPU, and hangs when it leaves.
        case refuseToLeave
    }

    package static let identifier = "unruly"
    package static func initialDomainState(in context: HostContext) -> Int { 0 }

    package static func interactor(in context: HostContext) -> Interact<Int, Action> {
        Interact { sum, action in
            switch action {
            case .add(let number):
                sum += number
            case .wait:
                return .run { _ in try await Task.sleep(for: .seconds(1_000)) }
            case .exit(let code):
                return .run { _ in endProcess(code) }
            case .spin(let marker):
                sum += 1
                if isFirst(marker) { spin() }
            case .block(let marker):
                sum += 1
                if isFirst(marker) { while true { sleep(1_000) } }
            case .crash(let path):
                if access(path, F_OK) != 0 { abort() }
                sum += 1
            case .hang: spin()
            case .rest(let milliseconds): usleep(UInt32(milliseconds) * 1_000)
            case .restUntil(let file): while access(file, F_OK) != 0 { usleep(1_000) }
            case .crashWhenCancelled:
                return .run { _ in
                    try await withTaskCancellationHandler {
                        try await Task.sleep(for: .seconds(1_000))
                    } onCancel: {
                        abort()
                    }
                }
            case .endCopy:
                sum += test_end_copy() == 0 ? 1 : 0
            case .compute(let count, let withTasks):
                return .merge((0..<count).map { _ in .perform { await compute(withTasks: withTasks) } })
            case .computeBriefly(let milliseconds):
                return .perform {
                    compute()
                    return nil
                }
                .timeout(.milliseconds(milliseconds)).catch { _ in .add(100) }
            case .addLater(let number):
                return .perform { .add(number) }
            case .stopComputing:
                isOver.store(true, ordering: .relaxed)
            case .occupy(let blocking, let swift):
                return .merge(
                    (0..<blocking).map { _ in
                        .perform {
                            occupy()
                            return nil
                        }
                        .on(.blocking)
                    } + [
                        .run { _ in
                            let tasks = (0..<swift).map { _ in Task.detached { compute() } }
                            for task in tasks { await task.value }
                        }
                    ]
                )
            case .openFiles:
                return .perform { try openFiles() }
            case .startThreads:
                return .perform { try startThreads() }
            case .hoard(let megabytes, inTurn: true):
                hoard(megabytes)
                while true { sleep(1_000) }
            case .hoard(let megabytes, inTurn: false):
                return .run { _ in
                    hoard(megabytes)
                    try await Task.sleep(for: .seconds(1_000))
                }
            case .print(let line, let isCrash):
                return .run { _ in
                    Swift.print(line)
                    if isCrash { abort() }
                    try await Task.sleep(for: .seconds(1_000))
                }
            case .refuseToLeave:
                signal(SIGTERM, SIG_IGN)
                signal(SIGXCPU, SIG_IGN)
                atexit { while true { sleep(1_000) } }
                sum += 1
            }
            return .none
        }
    }

    /// The variable that says for how many milliseconds a crash is handled before the process is gone.
    package static let slowCrashName = "UNRULY_CRASH_TAKES"

    /// Handles crashes for as long as that variable says, as Swift does while it writes a backtrace. Call it first.
    package static func crashSlowly() {
        guard let time = getenv(slowCrashName).flatMap({ Int32(String(cString: $0)) }) else { return }
        test_crash_slowly(time)
    }

    private static let isOver = Atomic(false)
    private static let areThreadsHeld = Atomic(false)

    private static func openFiles() throws -> Action? {
        var files: [Int32] = []
        defer { for file in files { close(file) } }
        while true {
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw EffectFailure(type: "Errno", message: "\(errno)") }
            files.append(file)
        }
    }

    private static func startThreads() throws -> Action? {
        var threads: [pthread_t] = []
        areThreadsHeld.store(true, ordering: .relaxed)
        defer {
            areThreadsHeld.store(false, ordering: .relaxed)
            for thread in threads { pthread_join(thread, nil) }
        }
        for _ in 0..<1_000 {
            var thread = pthread_t()
            let error = pthread_create(&thread, nil, { _ in UnrulyFeature.holdThread() }, nil)
            guard error == 0 else { throw EffectFailure(type: "Errno", message: "\(error)") }
            threads.append(thread)
        }
        return nil
    }

    private static func holdThread() -> UnsafeMutableRawPointer? {
        while areThreadsHeld.load(ordering: .relaxed) { usleep(10_000) }
        return nil
    }

    private static func hoard(_ megabytes: Int) {
        for _ in 0..<megabytes {
            // Never freed, and written to on every page.
            let piece = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
            for place in stride(from: 0, to: 1 << 20, by: 1024) {
                piece.storeBytes(of: place + 1, toByteOffset: place, as: Int.self)
            }
        }
    }

    private static func compute() {
        while !isOver.load(ordering: .relaxed) {}
    }

    private static func occupy() {
        while !isOver.load(ordering: .relaxed) { usleep(10_000) }
    }

    private static func compute(withTasks: Bool) async -> Action? {
        let tasks = withTasks ? [Task { compute() }, Task.detached { compute() }] : []
        compute()
        for task in tasks { await task.value }
        return nil
    }

    static func isFirst(_ marker: String) -> Bool {
        let file = open(marker, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        close(file)
        return true
    }

    static func endProcess(_ code: Int32) {
        #if canImport(Darwin)
        Darwin.exit(code)
        #else
        Glibc.exit(code)
        #endif
    }

    private static func spin() -> Never {
        var number: UInt64 = 0
        while true { number = number &* 6_364_136_223_846_793_005 &+ 1 }
    }

    package static func reducer() -> BuildViewState<Int, Int> {
        BuildViewState(initial: { $0 }) { sum, shown in shown = sum }
    }
}

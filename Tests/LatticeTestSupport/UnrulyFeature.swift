import CProcessEnd
package import LatticeCore
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A feature that hangs, crashes or overloads its own process. Run it in a worker.
package enum UnrulyFeature: HostedFeature {
    package enum Action: Codable, Sendable {
        /// A turn that adds this number.
        case add(Int)
        /// An effect that runs until it is cancelled.
        case wait
        /// A turn that adds this number, and an effect that runs until it is cancelled.
        case addAndWait(Int)
        /// An effect that ends the process with this exit code.
        case exit(Int32)
        /// A turn that computes for ever if there is no file at the path, and creates the file first.
        case spin(marker: String)
        /// A turn that sleeps for ever if there is no file at the path, and creates the file first.
        case block(marker: String)
        /// A turn that ends the process with a signal, unless there is a file at the path.
        case crash(unless: String)
        /// A turn that logs the text, prints it, and ends the process with a signal.
        case logAndCrash(String)
        /// A turn that computes for ever each time.
        case hang
        /// A turn that sleeps for this time.
        case rest(milliseconds: Int)
        /// A turn that waits until there is a file at the path.
        case restUntil(file: String)
        /// An effect that ends the process with a signal when it is cancelled.
        case crashWhenCancelled
        /// A turn that forks the process and waits until the copy has ended in order.
        case endCopy
        /// This many effects that compute until `stopComputing`. With `withTasks`, each starts two tasks that compute
        /// too.
        case compute(Int, withTasks: Bool)
        /// An effect that computes until `stopComputing` and has this timeout. After the timeout, 100 is added.
        case computeBriefly(milliseconds: Int)
        /// An effect that computes for ever, has this timeout, and ends its worker this grace period later.
        case computeBeyond(milliseconds: Int, grace: Int)
        /// An effect that adds 10, computes for ever, and ends its worker this grace period after it was cancelled.
        case computeUntilKilled(grace: Int)
        /// An effect that adds this number.
        case addLater(Int)
        /// Ends all computing and blocking effects and tasks.
        case stopComputing
        /// `blocking` effects that each block a thread of the blocking pool, and one effect with `swift` tasks that
        /// each compute on a thread of Swift's pool. They end with `stopComputing`. The tasks compute instead of
        /// blocking, because libdispatch adds threads for blocked ones.
        case occupy(blocking: Int, swift: Int)
        /// An effect that opens files until no descriptor is left, throws, and closes the files.
        case openFiles
        /// An effect that starts threads until the system refuses one, throws, and ends the threads.
        case startThreads
        /// An effect or a turn that allocates this much memory, writes to all of it, and keeps it for ever.
        case hoard(megabytes: Int, inTurn: Bool)
        /// An effect that prints a line, and then ends the process with a signal or runs until it is cancelled.
        case print(String, thenCrash: Bool)
        /// A turn after which the process ignores SIGTERM and SIGXCPU, and hangs when it exits.
        case refuseToLeave
        /// A turn that is rejected if the sum is at least this number, with the sum as the value. Otherwise it adds 1.
        case addBelow(Int)
    }

    /// Writes a text to the log of the worker.
    package enum Log: HostDependencyKey {
        package static let defaultValue: @Sendable (String) -> Void = { _ in }
    }

    package static let identifier = "unruly"
    package static func initialDomainState(in context: HostContext) -> Int { 0 }

    package static func interactor(in context: HostContext) -> Interact<Int, Action> {
        let log = context[Log.self]
        return Interact { sum, action in
            switch action {
            case .add(let number):
                sum += number
            case .addBelow(let limit):
                guard sum < limit else { return .reject("The sum has reached \(limit).", value: sum) }
                sum += 1
            case .wait:
                return .run { _ in try await Task.sleep(for: .seconds(1_000)) }
            case .addAndWait(let number):
                sum += number
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
            case .logAndCrash(let text):
                log(text)
                let line = "printed: \(text)\n"
                write(STDERR_FILENO, line, line.utf8.count)
                abort()
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
            case .computeBeyond(let milliseconds, let grace):
                return .perform {
                    compute()
                    return nil
                }
                .timeout(.milliseconds(milliseconds), endingWorker: .milliseconds(grace))
            case .computeUntilKilled(let grace):
                return .run { send in
                    await send(.add(10))
                    compute()
                }
                .whenCancelled(endingWorkerAfter: .milliseconds(grace))
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

    /// The environment variable with the number of milliseconds between a crash and the end of the process.
    package static let slowCrashName = "UNRULY_CRASH_TAKES"

    /// Makes crashes take as long as ``slowCrashName`` says, as if Swift wrote a backtrace. Call it first in `main`.
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
            // The memory is never freed, and every page is written to.
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

    /// Creates the file. Returns false if it exists already.
    static func isFirst(_ marker: String) -> Bool {
        let file = open(marker, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        close(file)
        return true
    }

    package static func endProcess(_ code: Int32) {
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

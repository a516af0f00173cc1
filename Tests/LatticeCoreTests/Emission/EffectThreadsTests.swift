import Testing

@testable import LatticeConcurrency
@testable import LatticeCore

// The name of a thread is read from a file that only Linux has.
#if os(Linux)
import Glibc

/// The name of the thread that asks.
private func threadName() -> String {
    guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
    defer { fclose(file) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
        guard let start = fgets(name.baseAddress, Int32(name.count), file) else { return "" }
        return String(String(cString: start).dropLast())
    }
}

/// The name of the thread that reads the stream.
private func oneName() -> AsyncStream<String> {
    let isFirst = Shared(true)
    return AsyncStream {
        guard isFirst.value else { return nil }
        isFirst.update { $0 = false }
        return threadName()
    }
}

@MainActor
private func checkTurns() async {
    let isOver = Shared(false)
    let (computing, begun) = (Shared(0), Shared(0))
    let runtime = LatticeCoreTests.makeRuntime([String]()) { (state: inout [String], action: String) in
        switch action {
        case "compute":
            return .perform {
                computing.increment()
                while !isOver.value {}
                return nil
            }
            .on(.computing)
        case "wait", "limit":
            let work = Emission<String>.perform {
                begun.increment()
                return "begun"
            }
            .on(.computing)
            return action == "wait" ? work : work.timeout(.milliseconds(20)).catch { _ in "too late" }
        case "effect":
            return .perform { "done" }
        default:
            state.append(action)
            return .none
        }
    }
    let tasks = (0..<SpinWait.processors).map { _ in runtime.send("compute") }
    while computing.value < tasks.count { await Task.yield() }
    let waiting = (0..<20).map { _ in runtime.send("wait") }
    #expect(await runtime.send("effect").finish() == .finished)
    #expect(await runtime.send("limit").finish() == .finished)
    for task in waiting {
        task.cancel()
        // Not waited for: nothing of it runs.
        #expect(await task.finish(cancellationGrace: .seconds(3600)) == .cancelled)
    }
    let last = runtime.send("wait")
    isOver.update { $0 = true }
    for task in tasks { #expect(await task.finish() == .finished) }
    #expect(await last.finish() == .finished)
    #expect(begun.value == 1)
    #expect(runtime.state == ["done", "too late", "begun"])
}

@Suite(.serialized, .timeLimit(.minutes(10)))
@MainActor
struct EffectThreadsTests {
    /// "go" asks for `emission`; other actions are kept.
    private func makeRuntime(_ emission: Emission<String>) -> FeatureRuntime<[String], String> {
        LatticeCoreTests.makeRuntime([]) { (state: inout [String], action: String) in
            if action == "go" { return emission }
            state.append(action)
            return .none
        }
    }

    @Test(
        "Computing or blocking work has separate threads, and modifiers keep that choice",
        arguments: [(EffectThreads.computing, "lattice-compute"), (.blocking, "lattice-block")]
    )
    func threads(_ threads: EffectThreads, name: String) async {
        let work = Emission<String>.perform { threadName() }
        let throwing = Emission<String>.perform { () async throws in threadName() }
        let debouncer = Debouncer<ContinuousClock, String?>(for: .zero)
        let throttler = Throttler<ContinuousClock, String?>(for: .milliseconds(1))
        let emissions: [Emission<String>] = [
            work.on(threads),
            throwing.on(threads).catch { "\($0)" },
            throwing.catch { "\($0)" }.on(threads),
            work.on(threads).timeout(.seconds(60)),
            work.timeout(.seconds(60)).on(threads),
            throwing.timeout(.seconds(60)).retry(.constant(.zero, attempts: 2)).catch { "\($0)" }.on(threads),
            work.on(threads).debounce(using: debouncer),
            work.debounce(using: debouncer).on(threads),
            work.throttle(using: throttler).on(threads),
            work.cancellable(id: 1).on(threads),
            Emission<Int>.perform { 1 }.map { _ in threadName() }.on(threads),
            work.on(threads).on(threads == .computing ? .blocking : .computing),
            Emission.run { send in await send(threadName()) }.on(threads),
            Emission.observe { oneName() }.on(threads),
        ]
        for (number, emission) in emissions.enumerated() {
            let runtime = makeRuntime(emission)
            #expect(await runtime.send("go").finish() == .finished)
            #expect(runtime.state == [name], "emission \(number)")
        }
        let plain = makeRuntime(.merge(work.on(threads), work))
        #expect(await plain.send("go").finish() == .finished)
        #expect(Set(plain.state) == [name, "lattice-effect"])
    }

    @Test("Waiting work does not block other effects, and never begins if it is cancelled or too late")
    func turns() async {
        // The work computes in a separate process, so that other tests do not wait for it.
        await #expect(processExitsWith: .success) { await checkTurns() }
    }
}

#endif

import LatticeCore

/// The part of one caller in a round. The same seed makes the same calls.
struct CallPart: Codable, Equatable, Sendable {
    let caller: Int
    let seed: UInt64
    let calls: Int
    /// The maximum time without progress for all calls to end.
    let patience: Duration
    /// A Boolean value that indicates whether some of the calls kill their workers.
    var isDeadly = true
    /// The number of calls after which the caller kills its process, or nil if it lives.
    var lifetime: Int?

    /// The number of parallel lanes of a caller.
    private static let laneCount = 4
    /// The last lane has this fraction of the calls of the others. Half of its calls go through the pool. If one of
    /// some hundreds of answers arrives twice, it is likely to be one of these.
    private static let lastPart = 4
    /// The maximum number of letters of an argument and of an answer, approximately.
    private static let maximumLetters = 100_000
    /// The maximum time until a cancellation, and until a deadline that is meant to pass.
    private static let shortMilliseconds = 10

    /// A description of the node of its process.
    var title: String { caller == 0 ? "the coordinator" : "client \(caller)" }

    /// The calls that it makes during the faults. The last lane calls the actors on the reading threads.
    var lanes: [CallLane] {
        var generator = SeededGenerator(seed: seed)
        return (0..<Self.laneCount).map { lane in
            // If the calls cannot be divided evenly, the first lanes have one more.
            let count = (calls + Self.laneCount - 1 - lane) / Self.laneCount
            let calls = (0..<count).map { number in
                call(.init(caller: caller, lane: lane, number: number), using: &generator)
            }
            return CallLane(callee: lane == Self.laneCount - 1 ? .reader : .pool, calls: calls)
        }
    }

    /// The calls that it makes after all others have ended. They have no faults, so no answer arrives too late.
    var lastLane: CallLane {
        let calls = (0..<calls / Self.lastPart).map { number in
            ChaosCall(
                identifier: .init(caller: caller, lane: Self.laneCount, number: number),
                method: .answer,
                isPooled: number.isMultiple(of: 2),
                cancelling: .never,
                timeoutMilliseconds: nil
            )
        }
        return CallLane(callee: .pool, calls: calls)
    }

    private func call(
        _ identifier: ChaosCall.Identifier,
        using generator: inout SeededGenerator
    ) -> ChaosCall {
        func chance(of percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        let method = method(using: &generator)
        var cancelling = ChaosCall.Cancelling.never
        if chance(of: 2) {
            cancelling = .before
        } else if chance(of: method == .wait ? 60 : 8) {
            cancelling = .after(milliseconds: .random(in: 0...Self.shortMilliseconds, using: &generator))
        }
        // A method that waits has to end in some way.
        let isShort = method == .wait && cancelling == .never || chance(of: 8)
        let short = Int.random(in: 0...Self.shortMilliseconds, using: &generator)
        let isLong = chance(of: 10)
        return ChaosCall(
            identifier: identifier,
            method: method,
            isPooled: chance(of: 33),
            cancelling: cancelling,
            timeoutMilliseconds: isShort ? short : isLong ? ChaosCall.longMilliseconds : nil,
            isAwaited: chance(of: 10),
            looksFirst: chance(of: 5),
            letters: chance(of: 2) ? .random(in: 0...Self.maximumLetters, using: &generator) : 0,
            answerLetters: chance(of: 2) ? .random(in: 0...Self.maximumLetters, using: &generator) : 0
        )
    }

    private func method(using generator: inout SeededGenerator) -> ChaosCall.Method {
        switch Int.random(in: 0..<1000, using: &generator) {
        case 0..<4: isDeadly ? .die : .answer
        case 4..<100: .wait
        case 100..<150: .spin
        case 150..<250: .fail
        case 250..<300: .failUnregistered
        case 300..<450: .callBack
        default: .answer
        }
    }
}

/// Calls that are made one after the other. A call can be made before the previous ones have ended.
struct CallLane: Equatable, Sendable {
    /// The actor that is called, except by calls of the pool.
    let callee: ChaosCallee.Name
    let calls: [ChaosCall]
}

import LatticeCore

/// What one caller of a round does: the same seed, the same calls.
struct CallPart: Codable, Equatable, Sendable {
    let caller: Int
    let seed: UInt64
    let calls: Int
    /// How long all that was called may take to end.
    let patience: Duration
    /// Whether some of its calls kill their workers.
    var isDeadly = true
    /// It kills its process when it has made so many.
    var lifetime: Int?

    /// Lanes of a caller, beside each other.
    private static let laneCount = 4
    /// Calls of the last lane: this part of the others, half of them by the pool. Where one answer of some hundreds
    /// comes twice, it is likely to be one of these.
    private static let lastPart = 4
    /// About the most letters of an argument, and of an answer.
    private static let maximumLetters = 100_000
    /// The longest that something is cancelled after, or has until its deadline, if that is to pass.
    private static let shortMilliseconds = 10

    /// Its process's node, for people.
    var title: String { caller == 0 ? "the coordinator" : "client \(caller)" }

    /// What it calls while things go wrong. The last one is of the actors on the threads that read.
    var lanes: [CallLane] {
        var generator = SeededGenerator(seed: seed)
        return (0..<Self.laneCount).map { lane in
            // Those that come first have one more, if they do not come out even.
            let count = (calls + Self.laneCount - 1 - lane) / Self.laneCount
            let calls = (0..<count).map { number in
                call(.init(caller: caller, lane: lane, number: number), using: &generator)
            }
            return CallLane(callee: lane == Self.laneCount - 1 ? .reader : .pool, calls: calls)
        }
    }

    /// What it calls when all of that has ended: nothing happens to these, so no answer to them comes too late.
    var lastLane: CallLane {
        let calls = (0..<calls / Self.lastPart).map { number in
            ChaosCall(
                identifier: .init(caller: caller, lane: Self.laneCount, number: number),
                method: .answer,
                isPooled: number.isMultiple(of: 2),
                cancelling: .never,
                limitMilliseconds: nil
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
        // What waits has an end in any case.
        let isShort = method == .wait && cancelling == .never || chance(of: 8)
        let short = Int.random(in: 0...Self.shortMilliseconds, using: &generator)
        let isLong = chance(of: 10)
        return ChaosCall(
            identifier: identifier,
            method: method,
            isPooled: chance(of: 33),
            cancelling: cancelling,
            limitMilliseconds: isShort ? short : isLong ? ChaosCall.longMilliseconds : nil,
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
        case 250..<300: .failUntold
        case 300..<450: .callBack
        default: .answer
        }
    }
}

/// Calls that are made one after the other, some of them before others have ended.
struct CallLane: Equatable, Sendable {
    /// What is called but by the pool.
    let callee: ChaosCallee.Name
    let calls: [ChaosCall]
}

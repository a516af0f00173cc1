import LatticeClient
import LatticeConcurrency
import LatticeHosting
import LatticeSession
import LatticeTransport

/// Many clients of `CrowdFeature` on one event loop, and what they show.
final class CrowdMembers: Sendable {
    /// What all clients are expected to show.
    fileprivate struct Expectation {
        let processes: [Int32]
        let each: Int
        /// The clients that show something else.
        var missing: Set<Int>
        let isSeen: OneShot<Result<UInt64, any Error>>
    }

    fileprivate struct Core {
        var clients: [Client] = []
        var crowds: [CrowdFeature.Crowd?] = []
        var expectation: Expectation?
    }

    private let core = Locked(Core())

    func answer(_ action: CrowdMembersFeature.Action) async throws -> CrowdMembersFeature.Answer {
        var answer = CrowdMembersFeature.Answer()
        switch action {
        case .connect(let path, let count): try await connect(count, to: path)
        case .see(let processes, let each): answer.time = try await see(processes, each: each)
        case .answered: break
        }
        answer.ownBytes = try ProcessFigures.own.ownBytes()
        return answer
    }

    private func connect(_ count: Int, to path: String) async throws {
        let reactor = try Reactor.start(name: "members")
        core.withLock { $0.crowds = Array(repeating: nil, count: count) }
        for place in 0..<count {
            let client = try Client(connectingTo: path, configuration: .bench, reactor: reactor)
            core.withLock { $0.clients.append(client) }
            try await client.connect()
            _ = client.openChannel(CrowdFeature.self) { [self] in receive($0, at: place) }
        }
    }

    private func receive(_ delivery: Delivery<CrowdFeature.Crowd>, at place: Int) {
        let crowd = delivery.decodeState()
        let failure = delivery.channelUpdate.end.map { BenchError("client \(place) lost its channel: \($0.reason)") }
        core.withLock { core in
            if let failure { core.expectation.take()?.isSeen.complete(.failure(failure)) }
            guard let crowd else { return }
            core.crowds[place] = crowd
            core.look(at: place)
        }
    }

    private func see(_ processes: [Int32], each: Int) async throws -> UInt64 {
        let isSeen = OneShot<Result<UInt64, any Error>>()
        core.withLock { core in
            let missing = Set(core.crowds.indices)
            core.expectation = Expectation(processes: processes, each: each, missing: missing, isSeen: isSeen)
            for place in missing { core.look(at: place) }
        }
        return try await isSeen.value.get()
    }
}

extension CrowdMembers.Core {
    /// Notes what one client shows.
    fileprivate mutating func look(at place: Int) {
        guard let crowd = crowds[place], let (processes, each) = expectation.map({ ($0.processes, $0.each) }) else {
            return
        }
        if crowd.consists(of: processes, each: each) {
            expectation?.missing.remove(place)
        } else {
            expectation?.missing.insert(place)
        }
        guard expectation?.missing.isEmpty == true else { return }
        expectation.take()?.isSeen.complete(.success(ProcessFigures.sharedTime))
    }
}

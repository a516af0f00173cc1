import LatticeCalls
import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

/// Tests names at the boundary of nodes that have sessions with a coordinator.
@Suite(.timeLimit(.minutes(10))) struct WatchedNameTests {
    /// Waits until a status satisfies a condition.
    private func status(
        of watched: WatchedName,
        where condition: (WatchedName.Status) -> Bool
    ) async throws -> WatchedName.Status {
        var (status, version) = watched.current
        while !condition(status) {
            try Task.checkCancellation()
            (status, version) = await watched.next(after: version)
        }
        return status
    }

    /// Waits until the listed actors are those of these processes.
    private func titles(of watched: WatchedName, are expected: [String]) async throws {
        _ = try await status(of: watched) { status in
            if case .listed(let places) = status { places.map(\.title).sorted() == expected.sorted() } else { false }
        }
    }

    @Test("A watch receives each actor that begins or ceases to serve the name")
    func lists() async throws {
        try await NodeNet.with([.worker, .worker, .client]) { net in
            for watcher in [net.leaves[2].node, net.hub] {
                let watched = watcher.watch("desk")
                try await titles(of: watched, are: [])
                #expect(net.leaves[0].node.publish("desk", 1))
                try await titles(of: watched, are: ["worker 0"])
                #expect(net.leaves[1].node.publish("desk", 4) && net.hub.publish("desk", 9))
                try await titles(of: watched, are: ["coordinator", "worker 0", "worker 1"])
                net.leaves[0].node.withdraw("desk")
                net.hub.withdraw("desk")
                try await titles(of: watched, are: ["worker 1"])
                net.leaves[1].node.actorEnded(4)
                try await titles(of: watched, are: [])
                watched.end()
            }
            let watched = net.hub.watch("desk")
            #expect(net.leaves[1].node.publish("desk", 4))
            try await titles(of: watched, are: ["worker 1"])
            net.leaves[1].session.connection.close()
            try await titles(of: watched, are: [])
        }
    }

    @Test("Searches are spread over the actors with a name, and a search waits for one")
    func searches() async throws {
        try await NodeNet.with([.worker, .worker, .client]) { net in
            let client = net.leaves[2].node
            async let first = client.find("desk", within: .seconds(120))
            for leaf in net.leaves.prefix(2) { #expect(leaf.node.publish("desk", 1)) }
            let place = try await first.get()
            #expect(place.actor == 1)
            let watched = client.watch("desk")
            try await titles(of: watched, are: ["worker 0", "worker 1"])
            var found: [String: Int] = [:]
            for _ in 0..<10 {
                let place = try await client.find("desk", within: .zero).get()
                found[place.title, default: 0] += 1
            }
            #expect(found == ["worker 0": 5, "worker 1": 5])
            guard case .failure(let failure) = await client.find("chair", within: .zero) else {
                Issue.record("found a chair")
                return
            }
            #expect(failure.code == .noName)
        }
    }

    @Test("A watch continues over the next session, and ends with the reason for which the connection is given up")
    func reconnects() async throws {
        try await NodeNet.with([.worker, .client]) { net in
            #expect(net.leaves[0].node.publish("desk", 1))
            let client = net.leaves[1]
            let watched = client.node.watch("desk")
            try await titles(of: watched, are: ["worker 0"])
            client.session.connection.close()
            _ = try await status(of: watched) { $0 == .unconnected }
            _ = try await net.connect(client.node, identity: client.node.id.bytes.reversed())
            try await titles(of: watched, are: ["worker 0"])
            client.node.loseHub(because: "it is gone")
            _ = try await status(of: watched) { $0 == .lost("it is gone") }
            client.node.end()
            _ = try await status(of: watched) { $0 == .ended }
            #expect(client.node.watch("desk").current.status == .ended)
            // What happens later does not hide the end.
            net.leaves[0].node.withdraw("desk")
            let own = net.hub.watch("desk")
            try await titles(of: own, are: [])
            #expect(net.hub.publish("desk", 3))
            net.hub.end()
            net.hub.withdraw("desk")
            #expect(own.current.status == .ended && watched.current.status == .ended)
        }
    }

    @Test("A process can watch a limited number of names, and further searches fail")
    func limit() async throws {
        try await NodeNet.with([.client]) { net in
            let client = net.leaves[0].node
            let watches = (0..<CallLimits.maximumWatches).map { client.watch("\($0 % 3)") }
            guard case .failure(let failure) = await client.find("0", within: .seconds(120)) else {
                Issue.record("found an actor with a name that none serves")
                return
            }
            #expect(failure.code == .overloaded)
            // Others are not affected.
            let own = net.hub.watch("0")
            #expect(own.current.status == .listed([]))
            let refused = client.watch("0")
            watches[7].end()
            refused.refresh()
            try await titles(of: refused, are: [])
            // All lists of one name arrive, though only some are sent at a time.
            #expect(net.hub.publish("1", 5))
            try await titles(of: watches[1], are: ["coordinator"])
            try await titles(of: watches[CallLimits.maximumWatches - 3], are: ["coordinator"])
        }
    }

    /// A message that ends the session of a process that sends it.
    enum Wrong: CaseIterable {
        case publishToNode, listToHub, unknownWatch, repeatedWatch, tooManyNames
    }

    @Test("What no process may say about names ends its session", arguments: Wrong.allCases)
    func violations(_ wrong: Wrong) async throws {
        try await NodeNet.with { net in
            let leaf = net.leaves[0]
            switch wrong {
            case .publishToNode: leaf.hubSession.sendControl(NamePublish(identifier: "desk", actor: 1))
            case .listToHub: leaf.session.sendControl(NameList(watch: 1, places: []))
            case .unknownWatch: leaf.session.sendControl(NameUnwatch(watch: 1))
            case .repeatedWatch:
                let watched = leaf.node.watch("desk")
                try await titles(of: watched, are: [])
                leaf.session.sendControl(NameWatch(watch: 1, identifier: "desk"))
            case .tooManyNames:
                for number in 0...CallLimits.maximumNames {
                    leaf.session.sendControl(NamePublish(identifier: "\(number)", actor: 1))
                }
            }
            let ended = try await leaf.ended.until { $0 != nil }
            #expect(ended??.code == (wrong == .publishToNode ? .violation : .goodbye))
        }
    }
}

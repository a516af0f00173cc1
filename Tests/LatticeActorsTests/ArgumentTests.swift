import Distributed
import LatticeActors
import LatticeCalls
import LatticeTestSupport
import LatticeWire
import Testing

/// The language does not ask for an argument whose type it knows to have no size.
@Suite(.timeLimit(.minutes(10))) struct ArgumentTests {
    @Test("Every argument reaches its parameter, whatever sizes their types have (F87)", arguments: Way.allCases)
    func everyArgumentReachesItsParameter(_ way: Way) async throws {
        try await ActorNet.with(way.roles) { net in
            let local = try net.systems[way.callee].host("scale") { Scale(actorSystem: $0) }
            let caller = net.systems[way.caller]
            let scale = try await caller.resolve(Scale.self, named: "scale", within: .seconds(100))
            let value1 = try await scale.add(.only, 10, 20)
            #expect(value1 == ["10", "20"])
            let value2 = try await scale.last(10, .only)
            #expect(value2 == ["10"])
            try await scale.alone(.only)
            let all = try await scale.many(
                1,
                Scale.Empty(),
                "2",
                Scale.Nest(),
                nil,
                .one(Scale.Empty()),
                Scale.Around(value: Scale.Empty()),
                Scale.Marked(),
                [3],
                Scale.Silent(),
                .only,
                4,
                Scale.Silent()
            )
            #expect(all == ["1", "2", "[3]", "4"])
            try await scale.oneWay.note(.only, "a", Scale.Empty(), "b")
            try await scale.oneWay.alone(.only)
            var streamed: [Int] = []
            for try await number in try await scale.numbers(.only, from: 3, Scale.Empty(), to: 6) {
                streamed.append(number)
            }
            #expect(streamed == [3, 4, 5])
            let value3 = try await local.noted
            #expect(value3 == ["a", "b"])
        }
    }

    @Test("Arguments also reach generic methods, generic actors, protocols and stable names (F87)")
    func whateverTheMethodIs() async throws {
        try await ActorNet.with { net in
            let local = Scale(actorSystem: net.systems[1])
            try net.systems[1].register(types: Int.self, Scale.Empty.self, Scale.Only.self)
            let scale = try Scale.resolve(id: local.id, using: net.hub)
            let sized = try await scale.generic(Scale.Empty(), 5, .only, Scale.Around(value: 5), Scale.Marked(), 6, 7)
            #expect(sized == ["5", "Around<Int>(value: 5)", "6", "7"])
            let empty = try await scale.generic(
                Scale.Empty(),
                Scale.Empty(),
                .only,
                Scale.Around(value: Scale.Empty()),
                Scale.Marked(),
                Scale.Only.only,
                7
            )
            #expect(empty == ["Empty()", "Around<Empty>(value: LatticeActorsTests.Scale.Empty())", "only", "7"])

            let localTray = Tray<Scale.Empty>(actorSystem: net.systems[1])
            let tray = try Tray<Scale.Empty>.resolve(id: localTray.id, using: net.hub)
            let value4 = try await tray.put(Scale.Empty(), Scale.Empty(), Scale.Around(value: Scale.Empty()), 8)
            #expect(value4 == 8)

            let weighing = try $Weighing.resolve(id: local.id, using: net.hub)
            let value5 = try await weighing.weigh(Scale.Empty(), 9, .only)
            #expect(value5 == 9)

            let localClerk = StableScale(actorSystem: net.systems[1])
            let clerk = try StableScale.resolve(id: localClerk.id, using: net.hub)
            let value6 = try await clerk.add(.only, 10, Scale.Empty(), 20)
            #expect(value6 == -10)
        }
    }

    /// A method by the compiler's name or by that of a table, and what it is called with.
    struct Misfit: Sendable {
        var method: String
        var arguments: [UInt8]
        var reason: String

        static let name = "LatticeActorsTests.Scale"
        static let mangled = "$s18LatticeActorsTests5ScaleC"
        static let advice = "; build both programs from the same source"

        static let all = [
            // Too many.
            Misfit(
                method: "\(mangled)3addySaySSGAC4OnlyO_S2itYaKFTE",
                arguments: [3, 10, 20, 30],
                reason: more("add(_:_:_:)", 3)
            ),
            Misfit(
                method: "\(mangled)4lastySaySSGSi_AC4OnlyOtYaKFTE",
                arguments: [10, 3, 3],
                reason: more("last(_:_:)", 2)
            ),
            Misfit(method: "\(mangled)5aloneyyAC4OnlyOYaKFTE", arguments: [3, 3], reason: more("alone(_:)", 1)),
            Misfit(method: "\(mangled)7nothingyyYaKFTE", arguments: [3], reason: more("nothing()", 0)),
            // Too few.
            Misfit(
                method: "\(mangled)3addySaySSGAC4OnlyO_S2itYaKFTE",
                arguments: [10, 20],
                reason: "argument 1 of \(name).add(_:_:_:) cannot be read as Only by the worker 0"
            ),
            Misfit(
                method: "\(mangled)4lastySaySSGSi_AC4OnlyOtYaKFTE",
                arguments: [10],
                reason: "argument 2 of \(name).last(_:_:) cannot be read as Only by the worker 0"
            ),
            Misfit(
                method: "\(mangled)5aloneyyAC4OnlyOYaKFTE",
                arguments: [],
                reason: "argument 1 of \(name).alone(_:) cannot be read as Only by the worker 0"
            ),
            // The argument has another type than its parameter.
            Misfit(
                method: "\(mangled)3addySaySSGAC4OnlyO_S2itYaKFTE",
                arguments: [4, 10, 20],
                reason: "argument 1 of \(name).add(_:_:_:) cannot be read as Only by the worker 0"
            ),
            Misfit(
                method: "\(mangled)4lastySaySSGSi_AC4OnlyOtYaKFTE",
                arguments: [10, 0x61, 0x61],
                reason: "argument 2 of \(name).last(_:_:) cannot be read as Only by the worker 0"
            ),
        ]

        static func more(_ method: String, _ count: Int) -> String {
            "the call has more arguments than \(name).\(method) of the worker 0 takes, which is \(count) argument"
                + "\(count == 1 ? "" : "s")\(advice)"
        }
    }

    @Test(
        "A call with arguments that do not fit its method fails, and the method does not begin",
        arguments: Misfit.all
    )
    func misfits(_ misfit: Misfit) async throws {
        try await ActorNet.with { net in
            let scale = Scale(actorSystem: net.systems[1])
            let node = net.net.leaves[0].node.id
            let call = OutgoingCall(to: scale.id.number, of: node, method: misfit.method, arguments: misfit.arguments)
            let reply = await net.net.hub.ask(call)
            #expect(reply.code == .undecodable && reply.failure?.mayHaveBegun == false)
            #expect(reply.failure?.reason?.hasPrefix(misfit.reason) == true, "\(reply.failure?.reason ?? "")")
            let value7 = try await scale.calls
            #expect(value7 == 0)
        }
    }

    @Test(
        "A call by a stable name with arguments that do not fit fails, and the method does not begin",
        arguments: [([3, 10, 0xa0, 20, 30], "the call has more"), ([3, 10, 0xa0], "argument 4 of")]
    )
    func stableMisfits(_ arguments: [UInt8], _ reason: String) async throws {
        try await ActorNet.with { net in
            let clerk = StableScale(actorSystem: net.systems[1])
            let node = net.net.leaves[0].node.id
            let call = OutgoingCall(to: clerk.id.number, of: node, method: "add(_:_:_:_:)", arguments: arguments)
            let reply = await net.net.hub.ask(call)
            #expect(reply.code == .undecodable && reply.failure?.mayHaveBegun == false)
            #expect(reply.failure?.reason?.hasPrefix(reason) == true, "\(reply.failure?.reason ?? "")")
        }
    }
}

distributed actor Scale: Weighing {
    typealias ActorSystem = LatticeActorSystem

    enum Only: Int, Codable, Sendable { case only = 3 }
    struct Empty: Codable, Sendable {}

    struct Nest: Codable, Sendable {
        var empty = Empty()
        var only = Only.only
    }

    enum Single: Codable, Sendable { case one(Empty) }

    struct Around<Value: Codable & Sendable>: Codable, Sendable { var value: Value }
    struct Marked<Value>: Codable, Sendable {}

    /// Writes nothing of itself.
    struct Silent: Codable, Sendable {
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
    }

    private var notes: [String] = []
    private(set) var begun = 0

    distributed var noted: [String] { notes }
    distributed var calls: Int { begun }

    distributed func nothing() { begun += 1 }

    distributed func add(_ kind: Only, _ n: Int, _ m: Int) -> [String] {
        begun += 1
        return ["\(n)", "\(m)"]
    }

    distributed func last(_ n: Int, _ kind: Only) -> [String] {
        begun += 1
        return ["\(n)"]
    }

    distributed func alone(_ kind: Only) { begun += 1 }

    distributed func many(
        _ a: Int,
        _ empty: Empty,
        _ b: String,
        _ nest: Nest,
        _ never: Never?,
        _ single: Single,
        _ around: Around<Empty>,
        _ marked: Marked<Int>,
        _ c: [Int],
        _ silent: Silent,
        _ only: Only,
        _ d: Int,
        _ last: Silent
    ) -> [String] { ["\(a)", b, "\(c)", "\(d)"] }

    distributed func note(_ kind: Only, _ first: String, _ empty: Empty, _ second: String) { notes += [first, second] }

    distributed func numbers(_ kind: Only, from first: Int, _ empty: Empty, to end: Int) -> ActorStream<Int> {
        ActorStream(first..<end)
    }

    distributed func generic<A: Codable & Sendable, B: Codable & Sendable>(
        _ empty: Empty,
        _ a: A,
        _ only: Only,
        _ around: Around<A>,
        _ marked: Marked<A>,
        _ b: B,
        _ last: Int
    ) -> [String] { ["\(a)", "\(around)", "\(b)", "\(last)"] }

    distributed func weigh(_ empty: Empty, _ n: Int, _ only: Only) -> Int { n }
}

distributed actor Tray<Item: Codable & Sendable> {
    typealias ActorSystem = LatticeActorSystem

    distributed func put(_ item: Item, _ empty: Scale.Empty, _ around: Scale.Around<Item>, _ n: Int) -> Int { n }
}

@Resolvable
protocol Weighing: DistributedActor where ActorSystem == LatticeActorSystem {
    distributed func weigh(_ empty: Scale.Empty, _ n: Int, _ only: Scale.Only) async throws -> Int
}

distributed actor StableScale: StableNamed {
    typealias ActorSystem = LatticeActorSystem

    distributed func add(_ kind: Scale.Only, _ n: Int, _ empty: Scale.Empty, _ m: Int) -> Int { n - m }

    static var stableMethods: [StableMethod] {
        [
            StableMethod("add(_:_:_:_:)") {
                (actor: isolated Self, kind: Scale.Only, n: Int, empty: Scale.Empty, m: Int) in
                actor.add(kind, n, empty, m)
            }
        ]
    }
}

import Distributed

/// A method in the table of an actor: its name, its signature, and how it is called.
///
/// The name is the language's full name, the base name with the labels of its parameters: `greet(_:loudly:)`. That of a
/// property is `mood()`.
///
/// The signature are the names of the types as they are without their modules, such as `(String, Bool) -> String`. So
/// it is the same whatever the types' modules are called, and whether the method is asynchronous or throws.
public struct StableMethod: Sendable {
    /// Calls a method that does not await, on its actor already.
    typealias Plain = @Sendable (any DistributedActor, inout CallDecoder, CallResult) throws -> Void
    /// Calls one that may, from anywhere.
    typealias Awaiting =
        nonisolated(nonsending) @Sendable (any DistributedActor, inout CallDecoder, CallResult) async throws -> Void

    enum Run: Sendable {
        case plain(Plain)
        case awaiting(Awaiting)

        nonisolated(nonsending) func callFromAnywhere(
            _ actor: any DistributedActor,
            _ arguments: CallDecoder,
            _ result: CallResult
        ) async throws {
            switch self {
            case .plain(let call): try await Self.call(call, actor, arguments, result)
            case .awaiting(let call):
                var arguments = arguments
                try await call(actor, &arguments, result)
            }
        }

        nonisolated(nonsending) private static func call<Act: DistributedActor>(
            _ plain: @escaping Plain,
            _ actor: Act,
            _ arguments: CallDecoder,
            _ result: CallResult
        ) async throws {
            _ = try await actor.whenLocal { actor in
                var arguments = arguments
                try plain(actor, &arguments, result)
            }
        }
    }

    /// For example `greet(_:)`.
    public let name: String
    /// For example `(String) -> String`.
    public let signature: String
    /// Of the signature: 64 bits of FNV-1a of its UTF-8.
    public let digest: UInt64
    /// Whether only programs call it that were built when it had this name.
    public let isFormer: Bool
    /// The actor's type.
    let actor: ObjectIdentifier
    let types: CallTypes
    /// Reads the arguments, calls the method, and hands on its result.
    let run: Run

    /// A method that awaits nothing and returns something.
    ///
    /// Calls of such methods that come one after the other share a task, so each costs about a quarter less than one of
    /// an asynchronous method.
    ///
    /// - Parameters:
    ///   - name: As above, of 1 to 1,024 bytes.
    ///   - isFormer: Whether this is what it was called once: a method that got a parameter with a default is called by
    ///     its former name too, and so may be one that was renamed. This process takes such a call, and makes none.
    ///   - call: Calls the method of the actor that it is given, where that runs. Its result is encoded there too, so
    ///     that nobody changes threads once more.
    public init<Act: StableNamed, each Argument: Codable & Sendable, Result: Codable & Sendable>(
        _ name: String,
        isFormer: Bool = false,
        _ call: @escaping @Sendable (isolated Act, repeat each Argument) throws -> Result
    ) {
        let run: Plain = { actor, arguments, result in
            let actor: Act = Self.actor(actor)
            let decoded = (repeat try arguments.decodeNextArgument() as each Argument)
            try arguments.checkEnd()
            try actor.assumeIsolated { actor in
                result.end(returning: try call(actor, repeat each decoded))
            }
        }
        self.init(name, isFormer, Act.self, .plain(run), returning: Result.self, repeat (each Argument).self)
    }

    /// A method that may await, and returns something.
    ///
    /// - Parameters:
    ///   - name: As above, of 1 to 1,024 bytes.
    ///   - isFormer: Whether this is what it was called once.
    ///   - call: Calls the method of the actor that it is given, where that runs. Its result is encoded there too, so
    ///     that nobody changes threads once more.
    public init<Act: StableNamed, each Argument: Codable & Sendable, Result: Codable & Sendable>(
        _ name: String,
        isFormer: Bool = false,
        _ call: @escaping @Sendable (isolated Act, repeat each Argument) async throws -> Result
    ) {
        let run: Awaiting = { actor, arguments, result in
            let actor: Act = Self.actor(actor)
            let decoded = (repeat try arguments.decodeNextArgument() as each Argument)
            try arguments.checkEnd()
            _ = try await actor.whenLocal { actor in
                let value = try await call(actor, repeat each decoded)
                await result.untilRoom()
                result.end(returning: value)
            }
        }
        self.init(name, isFormer, Act.self, .awaiting(run), returning: Result.self, repeat (each Argument).self)
    }

    /// A method that awaits nothing and returns nothing.
    ///
    /// - Parameters:
    ///   - name: As above, of 1 to 1,024 bytes.
    ///   - isFormer: Whether this is what it was called once.
    ///   - call: Calls the method of the actor that it is given, where that runs.
    public init<Act: StableNamed, each Argument: Codable & Sendable>(
        _ name: String,
        isFormer: Bool = false,
        _ call: @escaping @Sendable (isolated Act, repeat each Argument) throws -> Void
    ) {
        let run: Plain = { actor, arguments, result in
            let actor: Act = Self.actor(actor)
            let decoded = (repeat try arguments.decodeNextArgument() as each Argument)
            try arguments.checkEnd()
            try actor.assumeIsolated { actor in
                try call(actor, repeat each decoded)
                result.endReturning()
            }
        }
        self.init(name, isFormer, Act.self, .plain(run), returning: Void.self, repeat (each Argument).self)
    }

    /// A method that may await, and returns nothing.
    ///
    /// - Parameters:
    ///   - name: As above, of 1 to 1,024 bytes.
    ///   - isFormer: Whether this is what it was called once.
    ///   - call: Calls the method of the actor that it is given, where that runs.
    public init<Act: StableNamed, each Argument: Codable & Sendable>(
        _ name: String,
        isFormer: Bool = false,
        _ call: @escaping @Sendable (isolated Act, repeat each Argument) async throws -> Void
    ) {
        let run: Awaiting = { actor, arguments, result in
            let actor: Act = Self.actor(actor)
            let decoded = (repeat try arguments.decodeNextArgument() as each Argument)
            try arguments.checkEnd()
            _ = try await actor.whenLocal { actor in
                try await call(actor, repeat each decoded)
                result.endReturning()
            }
        }
        self.init(name, isFormer, Act.self, .awaiting(run), returning: Void.self, repeat (each Argument).self)
    }

    private init<each Argument>(
        _ name: String,
        _ isFormer: Bool,
        _ actor: any StableNamed.Type,
        _ run: Run,
        returning result: any Any.Type,
        _ arguments: repeat (each Argument).Type
    ) {
        var types = CallTypes()
        repeat types.add(each arguments)
        if result != Void.self { types.add(result) }
        self.name = FullName.plain(name)
        self.isFormer = isFormer
        self.actor = ObjectIdentifier(actor)
        self.types = types
        self.run = run
        let names = Self.names(repeat each arguments)
        signature = "(\(names.joined(separator: ", "))) -> \(Self.name(of: result))"
        digest = signature.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    private static func names<each Argument>(_ types: repeat (each Argument).Type) -> [String] {
        var names: [String] = []
        repeat names.append(name(of: each types))
        return names
    }

    private static func name(of type: any Any.Type) -> String {
        type == Void.self ? "Void" : _typeName(type, qualified: false)
    }

    /// The table is that of its type, as ``StableTable`` has made sure.
    private static func actor<Act: DistributedActor>(_ actor: any DistributedActor) -> Act {
        unsafeDowncast(actor as AnyObject, to: Act.self)
    }
}

/// Which types a call has, for telling apart methods of one name: the same in the same order, else hardly ever.
///
/// A number and no list, which each call would allocate.
struct CallTypes: Hashable, Sendable {
    private(set) var value: UInt64 = 0

    mutating func add(_ type: any Any.Type) {
        // Addresses are close together: each bit of them is to change all of the number (the finalizer of SplitMix64).
        let address = UInt64(UInt(bitPattern: ObjectIdentifier(type)))
        value = (value ^ address) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        value ^= value >> 31
    }
}

import Distributed

/// A method in the table of an actor, with its name, its signature, and a closure that calls it.
///
/// The name is the full name in Swift: the base name with the labels of the parameters, such as `greet(_:loudly:)`. The
/// name of a property is written like `mood()`.
///
/// The signature consists of the names of the types without their modules, such as `(String, Bool) -> String`. It does
/// not depend on the names of modules, and not on whether the method is asynchronous or throws.
public struct StableMethod: Sendable {
    /// Calls a synchronous method. The caller is already isolated to the actor.
    typealias Plain = @Sendable (any DistributedActor, inout CallDecoder, CallResult) throws -> Void
    /// Calls a method that may be asynchronous, from any isolation.
    typealias Awaiting =
        nonisolated(nonsending) @Sendable (any DistributedActor, inout CallDecoder, CallResult) async throws -> Void

    /// How a method is called.
    enum Run: Sendable {
        case plain(Plain)
        case awaiting(Awaiting)

        /// Calls the method from any isolation.
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

    /// The full name, for example `greet(_:)`.
    public let name: String
    /// The names of the types, for example `(String) -> String`.
    public let signature: String
    /// The 64-bit FNV-1a hash of the signature's UTF-8.
    public let digest: UInt64
    /// A Boolean value that indicates whether this is an earlier name of the method, which only older programs call.
    public let isFormer: Bool
    /// The type of the actor.
    let actor: ObjectIdentifier
    let types: CallTypes
    /// Decodes the arguments, calls the method, and passes on its result.
    let run: Run

    /// Creates an entry for a synchronous method that returns a value.
    ///
    /// Consecutive calls of synchronous methods share one task. Each call costs about a quarter less than a call of an
    /// asynchronous method.
    ///
    /// - Parameters:
    ///   - name: The full name of the method, of 1 to 1,024 bytes.
    ///   - isFormer: Whether `name` is an earlier name. Use it for a method that was renamed, or that got a parameter
    ///     with a default. This process accepts calls by that name and makes none.
    ///   - call: Calls the method of the given actor, and runs on that actor. The result is encoded there too, which
    ///     saves a change of threads.
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

    /// Creates an entry for an asynchronous method that returns a value.
    ///
    /// - Parameters:
    ///   - name: The full name of the method, of 1 to 1,024 bytes.
    ///   - isFormer: Whether `name` is an earlier name of the method.
    ///   - call: Calls the method of the given actor, and runs on that actor. The result is encoded there too, which
    ///     saves a change of threads.
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

    /// Creates an entry for a synchronous method that returns nothing.
    ///
    /// - Parameters:
    ///   - name: The full name of the method, of 1 to 1,024 bytes.
    ///   - isFormer: Whether `name` is an earlier name of the method.
    ///   - call: Calls the method of the given actor, and runs on that actor.
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

    /// Creates an entry for an asynchronous method that returns nothing.
    ///
    /// - Parameters:
    ///   - name: The full name of the method, of 1 to 1,024 bytes.
    ///   - isFormer: Whether `name` is an earlier name of the method.
    ///   - call: Calls the method of the given actor, and runs on that actor.
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

    /// Casts an actor to the type of the table. ``StableTable`` has checked that the table belongs to that type.
    private static func actor<Act: DistributedActor>(_ actor: any DistributedActor) -> Act {
        unsafeDowncast(actor as AnyObject, to: Act.self)
    }
}

/// A hash of the types of a call, which distinguishes methods with the same name. Equal types in the same order have
/// equal hashes, and a collision of others is very unlikely.
///
/// It is a number and not a list, because each call would have to allocate a list.
struct CallTypes: Hashable, Sendable {
    private(set) var value: UInt64 = 0

    mutating func add(_ type: any Any.Type) {
        // Addresses are close together, so each of their bits has to affect the whole hash. This is SplitMix64's
        // finalizer.
        let address = UInt64(UInt(bitPattern: ObjectIdentifier(type)))
        value = (value ^ address) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        value ^= value >> 31
    }
}

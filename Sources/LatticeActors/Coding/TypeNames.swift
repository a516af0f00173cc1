import Distributed
import LatticeConcurrency
import LatticeWire

/// What may be called, and with which types: the language looks up methods and types by their names, whatever actor
/// they are of, and a method that ran on an actor of another type would destroy the process.
///
/// A name that a call has is one of these:
/// - a method of the actor's own type;
/// - a method that `@Resolvable` has made of a protocol, if the actor conforms to that;
/// - for a generic method, a type that was registered.
///
/// A private type, and one inside of a function, has no name while the program runs by which it could be told from
/// another one, so of its methods only those of protocols are called.
final class TypeNames: Sendable {
    /// A type was named that is not registered.
    struct UnknownType: Error {
        let name: String
    }

    private struct Use: Hashable {
        let actor: ObjectIdentifier
        let method: String
        let substitutions: [String]
    }

    private struct Core {
        var registered: [String: any Any.Type] = [:]
        var known: [Use: MethodTypes] = [:]
    }

    /// Methods that were found, with their types: as many as a large program has. Then it begins anew.
    private static let maximumKnown = 4_096

    private let core = Locked(Core())

    /// - Throws: ``ActorCallError`` for a type without a name, as those inside of functions.
    static func name(of type: any Any.Type) throws -> String {
        guard !isNameless(type), let name = _mangledTypeName(type), name.utf8.count <= MessageLimits.maximumMethod
        else {
            throw ActorCallError(
                .unencodable,
                "a method cannot be called with the type \(type), which is private and so has no name, or one that is too"
                    + " long",
                .notSent
            )
        }
        return name
    }

    /// Whether it is private, or inside of a function: then its name has an address in the place of what tells it
    /// apart.
    static func isNameless(_ type: any Any.Type) -> Bool { _mangledTypeName(type)?.contains("yXZ") ?? true }

    /// Generic methods may be called with it.
    func register(_ type: any Any.Type) throws {
        let name = try Self.name(of: type)
        core.withLock { $0.registered[name] = type }
    }

    /// The types of a method that is to be called, with those in place of its generic parameters.
    ///
    /// - Throws: ``UnknownType``.
    /// - Returns: nil: the actor has no such method.
    func types(of method: String, _ names: [String], on actor: any DistributedActor) throws -> MethodTypes? {
        let type = Swift.type(of: actor as any DistributedActor)
        let use = Use(actor: ObjectIdentifier(type), method: method, substitutions: names)
        if let known = core.withLock({ $0.known[use] }) { return known }
        guard let substitutions = try find(method, names, actor, type),
            let found = MethodTypes(of: method, substitutions)
        else { return nil }
        core.withLock { core in
            if core.known.count >= Self.maximumKnown { core.known = [:] }
            core.known[use] = found
        }
        return found
    }

    private func find(
        _ method: String,
        _ names: [String],
        _ actor: any DistributedActor,
        _ type: any DistributedActor.Type
    ) throws -> [any Any.Type]? {
        // The language looks up what comes before a zero.
        guard method.hasPrefix(MangledName.methodPrefix), !method.utf8.contains(0), let own = _mangledTypeName(type)
        else { return nil }
        let rest = method.dropFirst(MangledName.methodPrefix.count)
        let isGeneric = own.hasSuffix("G")
        if let nominal = isGeneric ? MangledName(own).owner : own, rest.hasPrefix(nominal) {
            guard MangledName(rest.dropFirst(nominal.count)).isRestOfMethod else { return nil }
            guard isGeneric else { return try names.map { try registered($0) } }
            // The arguments of the actor's own type, and no others.
            let named = _typeByName(nominal + "y" + names.joined() + "G")
            return named == type ? names.compactMap { _typeByName($0) } : nil
        }
        guard let stub = MangledName(rest).owner, MangledName(rest.dropFirst(stub.count)).isRestOfMethod,
            names.count == 1, MangledName(names[0]).owner == stub,
            let type = _typeByName(names[0]), let made = type as? any _DistributedActorStub.Type,
            actor.conforms(toProtocolOf: made)
        else { return nil }
        return [type]
    }

    private func registered(_ name: String) throws -> any Any.Type {
        guard let type = core.withLock({ $0.registered[name] }) else { throw UnknownType(name: name) }
        return type
    }
}

extension DistributedActor {
    /// Whether it conforms to the protocol of which `@Resolvable` has made this type, which has the name of the
    /// protocol behind a dollar sign.
    nonisolated fileprivate func conforms(toProtocolOf stub: any _DistributedActorStub.Type) -> Bool {
        let name = String(reflecting: stub).prefix { $0 != "<" }.split(separator: ".")
        guard name.count == 2, name[1].first == "$" else { return false }
        let (module, own) = (name[0], name[1].dropFirst())
        guard let found = _typeByName("\(module.utf8.count)\(module)\(own.utf8.count)\(own)_p") else { return false }
        func conforms<Existential>(_ type: Existential.Type) -> Bool { self is Existential }
        return _openExistential(found, do: conforms)
    }
}

import Distributed
import LatticeConcurrency
import LatticeWire

/// The check that decides which methods may be called with which types.
///
/// The Swift runtime looks up methods and types by their names for any actor. A method that ran on an actor of another
/// type would corrupt the memory of the process, so this type checks each name first. A call may name:
/// - a method of the actor's own type;
/// - a method that `@Resolvable` has created for a protocol, if the actor conforms to that protocol;
/// - a registered type, as the argument of a generic method.
///
/// A private type and a type inside a function have no unique name at run time. For such an actor, only methods of
/// protocols can be called.
final class TypeNames: Sendable {
    /// The error of a call with a type that is not registered.
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

    /// The maximum number of methods that are remembered with their types, enough for a large program. When it is
    /// reached, the cache is emptied.
    private static let maximumKnown = 4_096

    private let core = Locked(Core())

    /// Returns the mangled name of a type.
    ///
    /// - Throws: ``ActorCallError`` for a type without a unique name, such as a type inside a function.
    static func name(of type: any Any.Type) throws -> String {
        guard !isNameless(type), let name = _mangledTypeName(type), name.utf8.count <= MessageLimits.maximumMethod
        else {
            throw ActorCallError(
                .unencodable,
                "a method cannot be called with the type \(type), because it is private and has no unique name, or"
                    + " because its name is too long; make the type internal or shorten its name",
                .notSent
            )
        }
        return name
    }

    /// Returns whether a type is private or inside a function. The mangled name of such a type contains an address.
    static func isNameless(_ type: any Any.Type) -> Bool { _mangledTypeName(type)?.contains("yXZ") ?? true }

    /// Registers a type with which generic methods may be called.
    func register(_ type: any Any.Type) throws {
        let name = try Self.name(of: type)
        core.withLock { $0.registered[name] = type }
    }

    /// Returns the types of a method for the generic arguments of a call, or nil if the actor has no such method.
    ///
    /// - Throws: ``UnknownType``.
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
        // The runtime would only look up the part of the name before a zero byte, so such names are refused.
        guard method.hasPrefix(MangledName.methodPrefix), !method.utf8.contains(0), let own = _mangledTypeName(type)
        else { return nil }
        let rest = method.dropFirst(MangledName.methodPrefix.count)
        let isGeneric = own.hasSuffix("G")
        if let nominal = isGeneric ? MangledName(own).owner : own, rest.hasPrefix(nominal) {
            guard MangledName(rest.dropFirst(nominal.count)).isRestOfMethod else { return nil }
            guard isGeneric else { return try names.map { try registered($0) } }
            // Only the generic arguments of the actor's own type are accepted.
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
    /// Returns whether the actor conforms to the protocol from which `@Resolvable` has created a type. The type's name
    /// is the name of the protocol with a dollar sign in front.
    nonisolated fileprivate func conforms(toProtocolOf stub: any _DistributedActorStub.Type) -> Bool {
        let name = String(reflecting: stub).prefix { $0 != "<" }.split(separator: ".")
        guard name.count == 2, name[1].first == "$" else { return false }
        let (module, own) = (name[0], name[1].dropFirst())
        guard let found = _typeByName("\(module.utf8.count)\(module)\(own.utf8.count)\(own)_p") else { return false }
        func conforms<Existential>(_ type: Existential.Type) -> Bool { self is Existential }
        return _openExistential(found, do: conforms)
    }
}

import Distributed
import LatticeConcurrency
import LatticeWire

/// The table of an actor's type, for looking up methods: of those that are called by their names, and of those that
/// others call.
final class StableTable: Sendable {
    /// The actor's type, for people.
    let type: String
    /// All of them, by their names.
    let methods: [String: StableMethod]
    /// How they are called.
    let calls: [String: StableMethod.Run]

    /// Tables by the types of actors, of which a program has so many; nil: the type has none.
    private static let known = Locked<[ObjectIdentifier: StableTable?]>([:])

    /// That of a type, or nil if it has none.
    static func of(_ type: any DistributedActor.Type) -> StableTable? {
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let made = (type as? any StableNamed.Type).map { StableTable($0) }
        // Outside of the lock, as it is others' code that makes the list. Whichever comes first counts.
        return known.withLock { known in
            if let other = known[ObjectIdentifier(type)] { return other }
            known[ObjectIdentifier(type)] = .some(made)
            return made
        }
    }

    init(_ type: any StableNamed.Type) {
        let list = type.stableMethods
        precondition(
            list.count <= MessageLimits.maximumStableMethods,
            "\(type) has \(list.count) stable names, and at most \(MessageLimits.maximumStableMethods) are told; split it"
        )
        for method in list {
            precondition(
                method.actor == ObjectIdentifier(type),
                "\(method.name) in the table of \(type) calls an actor of another type; write (actor: isolated Self, ...)"
            )
            precondition(
                1...MessageLimits.maximumMethod ~= method.name.utf8.count
                    && !method.name.hasPrefix(MangledName.methodPrefix),
                "\"\(method.name)\" in the table of \(type) is no name of a method; write one such as greet(_:)"
            )
        }
        self.type = "\(type)"
        methods = Dictionary(list.map { ($0.name, $0) }) { first, _ in first }
        calls = methods.mapValues(\.run)
    }

    /// The name under which a method is called that is known by the compiler's; nil: it is not in the table.
    func name(of target: RemoteCallTarget, _ types: CallTypes) -> String? {
        guard let name = FullName.last(of: target.description), let method = methods[name], !method.isFormer,
            method.types == types
        else { return nil }
        return name
    }

    /// What is told of it.
    var list: StableMethodList {
        StableMethodList(
            methods: methods.values.sorted { $0.name < $1.name }
                .map { StableMethodEntry(identifier: $0.name, digest: $0.digest, signature: $0.signature) }
        )
    }

    /// What this side calls that the other one does not have, or has otherwise, in a sentence; nil: all is there.
    ///
    /// - Parameters:
    ///   - list: What the other side has.
    ///   - title: The other side.
    func mismatch(with list: StableMethodList, at title: String) -> String? {
        let theirs = Dictionary(list.methods.map { ($0.identifier, $0) }) { first, _ in first }
        for method in methods.values.sorted(by: { $0.name < $1.name }) where !method.isFormer {
            guard let their = theirs[method.name] else {
                return "\(type) has \(method.name) with the signature \(method.signature) here, which the actor in the"
                    + " \(title) does not have; it has: \(Self.sentence(theirs.keys.sorted()))"
            }
            guard their.digest == method.digest else {
                return "\(method.name) of \(type) has the signature \(method.signature) here, and"
                    + " \(their.signature ?? "another one") in the \(title)"
            }
        }
        return nil
    }

    /// Why a method is not called that others name.
    func reason(without name: String, at title: String) -> String {
        "the actor \(type) of the \(title) has no \(name) in its table; it has: \(Self.sentence(methods.keys.sorted()))"
    }

    /// As many names as one reads.
    private static func sentence(_ names: [String]) -> String {
        let most = 16
        let rest = names.count > most ? ", and \(names.count - most) more" : ""
        return names.isEmpty ? "none" : names.prefix(most).joined(separator: ", ") + rest
    }
}

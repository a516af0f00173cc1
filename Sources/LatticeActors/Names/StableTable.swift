import Distributed
import LatticeConcurrency
import LatticeWire

/// The table of the stable methods of an actor's type. It is used for outgoing and for incoming calls.
final class StableTable: Sendable {
    /// The name of the actor's type, for messages.
    let type: String
    /// All methods by their names.
    let methods: [String: StableMethod]
    /// The closures that call the methods, by their names.
    let calls: [String: StableMethod.Run]

    /// The tables of all actor types that were used, with nil for a type without a table. A program has few of them.
    private static let known = Locked<[ObjectIdentifier: StableTable?]>([:])

    /// Returns the table of a type, or nil if the type has none.
    static func of(_ type: any DistributedActor.Type) -> StableTable? {
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let made = (type as? any StableNamed.Type).map { StableTable($0) }
        // The list is made by code of the application, so this happens outside of the lock. The first result is kept.
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
            "\(type) has \(list.count) stable names, and at most \(MessageLimits.maximumStableMethods) are sent; split"
                + " it"
        )
        for method in list {
            precondition(
                method.actor == ObjectIdentifier(type),
                "\(method.name) in the table of \(type) calls an actor of another type; write (actor: isolated Self,"
                    + " ...)"
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

    /// Returns the stable name of a method from its mangled name, or nil if the method is not in the table.
    func name(of target: RemoteCallTarget, _ types: CallTypes) -> String? {
        guard let name = FullName.last(of: target.description), let method = methods[name], !method.isFormer,
            method.types == types
        else { return nil }
        return name
    }

    /// The names and signatures that other processes get.
    var list: StableMethodList {
        StableMethodList(
            methods: methods.values.sorted { $0.name < $1.name }
                .map { StableMethodEntry(identifier: $0.name, digest: $0.digest, signature: $0.signature) }
        )
    }

    /// Compares the table with the table of the other side.
    ///
    /// - Parameters:
    ///   - list: The table of the other side.
    ///   - title: A description of the other side's process.
    /// - Returns: A sentence about a method that the other side does not have or has with another signature, or nil if
    ///   all methods agree.
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

    /// Returns a sentence that says why a call by an unknown name is refused.
    func reason(without name: String, at title: String) -> String {
        "the actor \(type) of the \(title) has no \(name) in its table; it has: \(Self.sentence(methods.keys.sorted()))"
    }

    /// Returns the first 16 names as text, and the number of the others.
    private static func sentence(_ names: [String]) -> String {
        let maximum = 16
        let rest = names.count > maximum ? ", and \(names.count - maximum) more" : ""
        return names.isEmpty ? "none" : names.prefix(maximum).joined(separator: ", ") + rest
    }
}

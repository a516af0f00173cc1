import Distributed
import LatticeCalls
import LatticeConcurrency
import LatticeSession
import LatticeWire

/// A cache that remembers which actors of other processes have a table of stable names.
final class StableAgreements: Sendable {
    private struct Use: Hashable {
        let actor: LatticeActorID
        let type: ObjectIdentifier
    }

    /// The maximum number of entries, each for one actor and one type. When it is reached, the cache is emptied.
    private static let maximumKnown = 4_096

    private let known = Locked<[Use: Bool]>([:])

    /// Returns whether an actor has a table that agrees with the table of the type, or nil if it has not been asked.
    func hasTable(_ actor: LatticeActorID, as type: any DistributedActor.Type) -> Bool? {
        known.withLock { $0[Use(actor: actor, type: ObjectIdentifier(type))] }
    }

    /// Remembers the answer of an actor.
    func add(_ actor: LatticeActorID, as type: any DistributedActor.Type, hasTable: Bool) {
        known.withLock { known in
            if known.count >= Self.maximumKnown { known = [:] }
            known[Use(actor: actor, type: ObjectIdentifier(type))] = hasTable
        }
    }
}

extension LatticeActorSystem {
    /// Returns the identity with the information whether the actor has a table of stable names.
    ///
    /// If the type has a table, the actor is asked once for its own.
    ///
    /// - Parameters:
    ///   - id: The identity of the actor.
    ///   - type: The type through which the actor is called.
    /// - Throws: ``ActorCallError`` with ``ActorCallError/Code/unknownMethod`` if a method of the type is missing in
    ///   the actor's table or has another signature, another ``ActorCallError`` if the actor cannot be asked, and
    ///   `CancellationError`.
    func agreed(on id: LatticeActorID, as type: any DistributedActor.Type) async throws -> LatticeActorID {
        guard let table = StableTable.of(type) else { return id }
        var id = id
        if let hasTable = agreements.hasTable(id, as: type) {
            id.hasTable = hasTable
            return id
        }
        let list = try await stableMethods(of: id)
        id.hasTable = !list.methods.isEmpty
        if id.hasTable, let mismatch = table.mismatch(with: list, at: id.process) {
            throw error(.unknownMethod, "\(mismatch); build both programs from sources that agree", id)
        }
        agreements.add(id, as: type, hasTable: id.hasTable)
        return id
    }

    /// Requests the table of an actor. It is empty if the actor has none, or if its program does not support tables.
    private func stableMethods(of id: LatticeActorID) async throws -> StableMethodList {
        let latest = MonotonicDeadline(in: ActorNode.answerTimeout)
        let context = CallContext(deadline: min(latest, MonotonicDeadline.current))
        let call = OutgoingCall(.methods, about: id.number, at: id.node, context: context)
        switch await node.ask(call) {
        case .returned(let value):
            do throws(WireError) {
                return try StableMethodList(bytes: value ?? [])
            } catch {
                throw self.error(
                    .undecodable,
                    "the table of methods of \(id) cannot be decoded: \(error.sentence)",
                    id
                )
            }
        case .threw(let type, _):
            throw error(.undecodable, "the process of \(id) threw a \(type) instead of its table of methods", id)
        case .failed(let failure) where failure.code == .noMethod: return StableMethodList(methods: [])
        case .failed(let failure) where failure.code == .cancelled: throw CancellationError()
        case .failed(var failure):
            // The question itself begins no method of the actor.
            failure.mayHaveBegun = false
            var error = ActorCallError(failure, "asking \(id) for its methods")
            error.actor = id
            throw error
        }
    }

    private func error(_ code: ActorCallError.Code, _ message: String, _ id: LatticeActorID) -> ActorCallError {
        var error = ActorCallError(code, message, .notSent)
        error.actor = id
        return error
    }
}

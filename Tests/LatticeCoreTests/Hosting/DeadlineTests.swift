import LatticeCore
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct DeadlineTests {
    private struct Shown: Equatable, Sendable, DefaultValueProvider {
        static let defaultValue = Shown()
    }

    private typealias Model = ViewModel<Feature<Int, Int, Shown>>
    private let deadline = ContinuousClock.now + .seconds(3600)

    /// A feature that adds its actions. Each effect records its deadline, and for an action above 0 emits the action
    /// minus 1.
    private func makeModel(
        _ seen: Shared<[ContinuousClock.Instant?]>,
        during effect: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> Model {
        let interactor = Interact<Int, Int> { state, action in
            state += 1
            return .perform {
                seen.update { $0.append(Deadline.current) }
                await effect(action)
                return action > 0 ? action - 1 : nil
            }
        }
        return Model(
            initialDomainState: 0,
            feature: Feature(interactor: interactor, reducer: BuildViewState<Int, Shown> { _, _ in })
        )
    }

    @Test("Effects and the effects that follow see their event's deadline, and no deadline if there is none")
    func isSeen() async {
        let seen = Shared<[ContinuousClock.Instant?]>([])
        let model = makeModel(seen)
        #expect(await model.sendViewEvent(1, deadline: deadline).finish() == .finished)
        #expect(await model.sendViewEvent(0).finish() == .finished)
        #expect(seen.value == [deadline, deadline, nil])
    }

    @Test("An event that an effect sends has its deadline only if the effect passes it on", arguments: [true, false])
    func isHandedOn(isGiven: Bool) async {
        let (seen, seenThere) = (Shared<[ContinuousClock.Instant?]>([]), Shared<[ContinuousClock.Instant?]>([]))
        let there = makeModel(seenThere)
        let here = makeModel(seen) { _ in
            let given = isGiven ? Deadline.current : nil
            let task = await MainActor.run {
                given.map { there.sendViewEvent(0, deadline: $0) } ?? there.sendViewEvent(0)
            }
            await task.finish()
        }
        #expect(await here.sendViewEvent(0, deadline: deadline).finish() == .finished)
        #expect(seen.value == [deadline])
        #expect(seenThere.value == [isGiven ? deadline : nil])
    }
}

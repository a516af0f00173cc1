import LatticeCore
import Observation
import Testing

/// A NaN is not equal to itself, and yet it has not changed where it stays.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct NaNTests {
    private struct Size: Equatable, Sendable {
        var isKnown = true
        var width = Double.nan
        var height: Float? = .nan
    }

    private enum Progress: Equatable, Sendable {
        case idle
        case at(Double, of: Double)
        case measured(Size)
    }

    private struct Report: Equatable, Sendable {
        /// A text that each reduction creates again, so that its bits differ.
        var title = ""
        var ratio = Double.nan
        var size = Size()
        var progress = Progress.at(.nan, of: 3)
        var points: [Double] = [.nan]
        var count = 0
    }

    /// Returns how many of the numbers notify observers. The view state is reduced again for each number.
    private func notifications<Shown: Equatable & Sendable>(
        _ numbers: [Int],
        _ reduce: @escaping @Sendable (Int, inout Shown) -> Void,
        from initial: Shown
    ) -> Int {
        let heard = Shared(0)
        let viewModel = ViewModel(
            initialDomainState: 0,
            feature: Feature(
                interactor: Interact<Int, Int> { state, action in
                    state = action
                    return .none
                },
                reducer: BuildViewState<Int, Shown>(initial: { _ in initial }, reducerBlock: reduce)
            )
        )
        return numbers.count { number in
            let before = heard.value
            withObservationTracking {
                _ = viewModel.viewState
            } onChange: {
                heard.increment()
            }
            viewModel.sendViewEvent(number)
            return heard.value > before
        }
    }

    @Test("A NaN that stays a NaN notifies no observer, wherever it is in a plain view state (F98)")
    func aNaNHasNotChanged() {
        #expect(notifications([1, 2, 3], { $1 = .nan }, from: Double.nan) == 0)
        #expect(notifications([1, 2, 3], { $1 = .nan }, from: Float?.some(.nan)) == 0)
        #expect(notifications([1, 2, 3], { $1 = .at(.nan, of: 3) }, from: Progress.at(.nan, of: 3)) == 0)
        #expect(notifications([1, 2, 3], { $1 = .measured(Size()) }, from: Progress.measured(Size())) == 0)
        let title = String(repeating: "a title longer than a small text ", count: 3)
        let report = Report(title: title)
        #expect(
            notifications(
                [1, 2, 3],
                { _, report in
                    report.title = String(repeating: "a title longer than a small text ", count: 3)
                    report.ratio = .nan
                    report.size = Size()
                },
                from: report
            ) == 0
        )
    }

    @Test("A change beside a NaN notifies observers, and so does a NaN that comes or goes (F98)")
    func changesBesideANaNAreHeard() {
        #expect(notifications([1, 1, 2], { $1.count = $0 }, from: Report()) == 2)
        #expect(notifications([1, 1, 2], { $1.title = "\($0)" }, from: Report()) == 2)
        #expect(notifications([1, 1, 2], { $1.size.isKnown = $0 == 1 }, from: Report()) == 2)
        #expect(notifications([1, 2, 3], { $1 = $0 == 2 ? 1 : .nan }, from: Double.nan) == 2)
        #expect(
            notifications([1, 2, 3], { $1 = $0 == 2 ? .idle : .at(.nan, of: 3) }, from: Progress.at(.nan, of: 3)) == 2
        )
        #expect(
            notifications([1, 1, 2], { $1 = .at(.nan, of: Double($0)) }, from: Progress.at(.nan, of: 1)) == 2
        )
    }

    /// Says of itself what it likes, and shows no parts.
    private struct Opaque: Equatable, Sendable, CustomReflectable {
        var number = 0
        var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }

        static func == (lhs: Self, rhs: Self) -> Bool { false }
    }

    @Test("A value without visible parts that is never equal to itself has changed if its bits have (F98)")
    func whatShowsNoPartsGoesByItsBits() {
        #expect(notifications([0, 0, 0], { $1.number = $0 }, from: Opaque()) == 0)
        #expect(notifications([1, 1, 2], { $1.number = $0 }, from: Opaque()) == 2)
    }

    @Test("A new array with a NaN has changed, and an array that was kept has not (F98)")
    func anArrayMadeAnewHasChanged() {
        #expect(notifications([1, 2, 3], { _, _ in }, from: Report()) == 0)
        // The number of elements is computed: an optimised build keeps one array for a literal and assigns that.
        #expect(notifications([1, 2, 3], { $1.points = Array(repeating: .nan, count: $0) }, from: Report()) == 3)
        #expect(notifications([1, 1, 1], { $1.points = Array(repeating: .nan, count: $0) }, from: Report()) == 3)
    }
}

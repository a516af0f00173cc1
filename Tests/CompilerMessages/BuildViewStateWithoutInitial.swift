// error: 'init(reducerBlock:)' is unavailable: Pass 'initial:', or let the view state conform to DefaultValueProvider
import LatticeCore

let feature = Feature(
    interactor: EmptyInteractor<Int, Int>(),
    reducer: BuildViewState<Int, String> { $1 = "\($0)" }
)

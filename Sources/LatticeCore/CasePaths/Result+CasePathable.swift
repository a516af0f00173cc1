/// Names the cases of a result that an action carries: `\.loaded.success`.
extension Result: CasePathable {
    public struct AllCasePaths {
        public var success: AnyCasePath<Result, Success> {
            AnyCasePath(embed: { .success($0) }, extract: { if case .success(let value) = $0 { value } else { nil } })
        }

        public var failure: AnyCasePath<Result, Failure> {
            AnyCasePath(embed: { .failure($0) }, extract: { if case .failure(let error) = $0 { error } else { nil } })
        }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

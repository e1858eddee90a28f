# Functions that the tables of measurements share.

# Puts list[1..n] in order.
function sort_list(list, n,    i, j, t) {
	for (i = 2; i <= n; i++) {
		t = list[i]
		for (j = i; j > 1 && list[j - 1] > t; j--)
			list[j] = list[j - 1]
		list[j] = t
	}
}

# The median of list[1..n], which is put in order.
function median(list, n) {
	sort_list(list, n)
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# The largest k with P(U < k) <= tail, U being the Mann-Whitney statistic of n and m samples of one
# distribution; 0: so few samples cannot tell anything at this level. The number of orders of the samples with
# U = u is the coefficient of x^u in the product of (1 - x^(m + i)) / (1 - x^i) over i = 1..n.
function rank_limit(n, m, tail,    ways, i, u, all, sum) {
	ways[0] = 1
	for (u = 1; u <= n * m; u++)
		ways[u] = 0
	for (i = 1; i <= n; i++) {
		for (u = n * m; u >= m + i; u--)
			ways[u] -= ways[u - m - i]
		for (u = i; u <= n * m; u++)
			ways[u] += ways[u - i]
	}
	for (u = 0; u <= n * m; u++)
		all += ways[u]
	for (u = 0; u <= n * m; u++) {
		sum += ways[u] / all
		if (sum > tail)
			break
	}
	return u
}

# How many times larger b[1..m] is than a[1..n], all of them positive: result["ratio"] is the median of all
# b[j] / a[i] (Hodges and Lehmann's estimate), result["low"] and result["high"] bound it with
# probability 1 - alpha, whatever the distribution of the noise: they exclude 1 just when the rank test of Mann
# and Whitney does at that level. Returns 0, and no bounds, when the samples are too few for it.
function ratio_interval(a, n, b, m, alpha, result,    all, i, j, k) {
	for (i = 1; i <= n; i++)
		for (j = 1; j <= m; j++)
			all[(i - 1) * m + j] = log(b[j] / a[i])
	result["ratio"] = exp(median(all, n * m))
	k = rank_limit(n, m, alpha / 2)
	if (k) {
		result["low"] = exp(all[k])
		result["high"] = exp(all[n * m + 1 - k])
	}
	return k > 0
}
